// Saved pages of other kinds, and from other times.
import {
  BESIDE,
  html,
  layoutTable,
  links,
  page,
  paragraphs,
  prose,
  type SavedPage,
  TABLE,
  TABLE_TEXT,
  times,
} from "./page_shell.ts";

export const OTHER_PAGES: readonly SavedPage[] = [
  html(
    "recipe",
    page(
      { title: "Fish soup" },
      `<article><h1>Fish soup</h1><p>${
        prose(10)
      }</p><h2>Ingredients</h2><ul><li><input type="checkbox"> 1 kg fish</li><li>2 onions</li></ul><h2>Steps</h2><ol><li><p>Cut.</p></li><li><p>Boil for 20&nbsp;minutes.</p></li></ol></article><div class="newsletter"><h4>Never miss a recipe</h4><p>Your address</p></div>`,
    ),
    ["- 1 kg fish\n- 2 onions", "1. Cut.", "2. Boil for 20 minutes."],
    [...BESIDE, "Never miss"],
  ),
  html(
    "job",
    page(
      { title: "Captain" },
      `<div class="job"><h1>Captain (m/f/d)</h1><div><div>Place</div><div>Harbor</div></div><p>${
        prose(8)
      }</p><p>Apply: <a href="mailto:jobs@site.example">jobs</a></p></div>`,
    ),
    ["Place\nHarbor", "[jobs](mailto:jobs@site.example)"],
  ),
  html(
    "timetable",
    page(
      { title: "Times" },
      `<main><h1>Times</h1><table><caption>From May</caption><tr><th>From<th>To<th>Day${
        times(20, (at) => `<tr><td>${at}:00<td>${at}:40<td>daily`)
      }</table></main>`,
    ),
    ["From May", "| From | To | Day |\n| --- | --- | --- |\n| 1:00 | 1:40 | daily |"],
  ),
  html(
    "page in a form",
    `<html><body><form method="post" action="./x.aspx"><input type="hidden" name="__VIEWSTATE" value="${
      "wEPDw8".repeat(2_000)
    }"><div class="menu">${links(20, "Office")}</div><div id="ctl00"><h1>Permits</h1>${
      paragraphs(5)
    }<label>Number</label><input type="text"></div></form></body></html>`,
    ["# Permits", "Number"],
    ["wEPDw8", "Office 7"],
  ),
  html(
    "page of 1998",
    `<TITLE>Home</TITLE><BODY><H1>Welcome</H1><P>First<P>Second<UL><LI>One<LI>Two</UL><HR><A NAME=x>Here</A><CENTER><IMG SRC=c.gif ALT="Counter"></CENTER><FONT COLOR=red>New!</FONT> &copy 1998`,
    [
      "# Welcome",
      "First\n\nSecond\n\n- One\n- Two\n\n---",
      "![Counter](https://site.example/c.gif)",
      "New! © 1998",
    ],
    [],
  ),
  html(
    "prices and questions",
    page(
      { title: "Prices" },
      `<main><h1>Prices</h1>${TABLE}<h3><button aria-expanded="false">May I cancel?</button></h3><div><p>At any time.</p></div><details><summary>Which card?</summary><p>Any card.</p></details></main>`,
    ),
    [TABLE_TEXT, "### May I cancel?", "At any time.", "Which card?\n", "Any card."],
  ),
  html(
    "scientific paper",
    page(
      { title: "Waves" },
      `<main><article><h1>Waves</h1><h2>Abstract</h2>${
        paragraphs(12)
      }<p>Energy<sub>1</sub> is 10<sup>−3</sup> J.</p><figure><img src="f1.png" alt="Wave height"><figcaption>Fig. 1</figcaption></figure><section><h2>References</h2><ol>${
        times(30, (at) => `<li>Author ${at}. <a href="https://doi.example/${at}">doi</a></li>`)
      }</ol></section></article></main>`,
    ),
    ["10^−3 J", "Fig. 1", "30. Author 30. [doi](https://doi.example/30)"],
  ),
  html(
    "newsletter in tables",
    `<html><body><div style="display:none">Preview text</div>${
      layoutTable(
        layoutTable(
          `<h1>May news</h1><p>${prose(5)}</p><a href="https://n.example/more">Read more</a>`,
        ),
      )
    }</body></html>`,
    ["# May news", "[Read more](https://n.example/more)"],
    ["Preview text", "| --- |"],
  ),
];
