// Shows the API's own description in Redoc. A file of its own, because the page allows no inline script.
globalThis.Redoc.init("/openapi.json", { disableSearch: true }, document.getElementById("redoc"));
