// Expected due times of schedules, computed by hand from calendars and the dates of clock changes.

const BERLIN = "Europe/Berlin";
const NEW_YORK = "America/New_York";
const LORD_HOWE = "Australia/Lord_Howe";
const BEIRUT = "Asia/Beirut";
const SANTIAGO = "America/Santiago";

/**
 * Cases of cron expression, time zone, instant, and the first due times after that instant. A due time without a date has
 * the date of the previous one. 1 January 2026 is a Thursday.
 */
export const CRON_CASES: [cron: string, zone: string, after: string, slots: string][] = [
  ["* * * * *", "UTC", "2026-01-01T00:00Z", "2026-01-01T00:01Z 00:02Z"],
  ["*/7 * * * *", "UTC", "2026-01-01T00:50Z", "2026-01-01T00:56Z 01:00Z"],
  ["0 0 31 * *", "UTC", "2026-01-01T00:00Z", "2026-01-31T00:00Z 2026-03-31T00:00Z"],
  ["0 0 29 2 *", "UTC", "2026-01-01T00:00Z", "2028-02-29T00:00Z 2032-02-29T00:00Z"],
  // 2100 is not a leap year.
  ["0 0 29 2 *", "UTC", "2096-02-29T00:00Z", "2104-02-29T00:00Z"],
  [
    "0 0 13 * 5",
    "UTC",
    "2026-01-08T00:00Z",
    "2026-01-09T00:00Z 2026-01-13T00:00Z 2026-01-16T00:00Z",
  ],
  [
    "0 0 */2 * 1",
    "UTC",
    "2026-01-07T00:00Z",
    "2026-01-09T00:00Z 2026-01-11T00:00Z 2026-01-12T00:00Z 2026-01-13T00:00Z",
  ],
  ["0 0 * * MON-FRI", "UTC", "2026-01-02T00:00Z", "2026-01-05T00:00Z 2026-01-06T00:00Z"],
  ["0 0 * * fri-sun", "UTC", "2026-01-03T00:00Z", "2026-01-04T00:00Z 2026-01-09T00:00Z"],
  [
    "0 0 * * 0-7/2",
    "UTC",
    "2026-01-02T00:00Z",
    "2026-01-03T00:00Z 2026-01-04T00:00Z 2026-01-06T00:00Z",
  ],
  ["@Midnight", "UTC", "2028-02-28T00:00Z", "2028-02-29T00:00Z"],

  // Berlin is UTC+1 in winter and UTC+2 in summer. Other zones have offsets with a quarter of an hour.
  ["30 8 * * *", BERLIN, "2026-01-01T00:00Z", "2026-01-01T07:30Z"],
  ["0 0 1 * *", BERLIN, "2026-01-01T00:00Z", "2026-01-31T23:00Z 2026-02-28T23:00Z"],
  ["0 6 * * *", "Asia/Kathmandu", "2026-01-01T00:00Z", "2026-01-01T00:15Z 2026-01-02T00:15Z"],

  // On 29 March 2026 at 01:00 UTC the clock jumps from 02:00 to 03:00.
  ["30 2 * * *", BERLIN, "2026-03-28T12:00Z", "2026-03-29T01:00Z 2026-03-30T00:30Z"],
  ["0 3 * * *", BERLIN, "2026-03-28T12:00Z", "2026-03-29T01:00Z 2026-03-30T01:00Z"],
  ["*/15 * * * *", BERLIN, "2026-03-29T00:40Z", "2026-03-29T00:45Z 01:00Z 01:15Z"],
  // An expression with a wildcard skips times in the gap.
  ["30 * * * *", BERLIN, "2026-03-29T00:10Z", "2026-03-29T00:30Z 01:30Z"],
  ["30 */2 * * *", BERLIN, "2026-03-28T22:00Z", "2026-03-28T23:30Z 2026-03-29T02:30Z"],
  ["*/20 1-3 * * *", BERLIN, "2026-03-29T00:30Z", "2026-03-29T00:40Z 01:00Z 01:20Z"],

  // On 25 October 2026 at 01:00 UTC the clock returns from 03:00 to 02:00.
  ["30 2 * * *", BERLIN, "2026-10-24T12:00Z", "2026-10-25T00:30Z 2026-10-26T01:30Z"],
  ["*/15 * * * *", BERLIN, "2026-10-25T00:40Z", "2026-10-25T00:45Z 01:00Z 01:15Z"],
  ["* * * * *", BERLIN, "2026-10-25T00:58Z", "2026-10-25T00:59Z 01:00Z 01:01Z"],
  // This instant is in the second of the two hours from 02:00.
  ["* * * * *", BERLIN, "2026-10-25T01:30Z", "2026-10-25T01:31Z"],
  ["@hourly", BERLIN, "2026-10-24T23:30Z", "2026-10-25T00:00Z 01:00Z 02:00Z"],

  // On 8 March 2026 at 07:00 UTC the clock jumps from 02:00 to 03:00.
  ["30 2 * * *", NEW_YORK, "2026-03-07T12:00Z", "2026-03-08T07:00Z 2026-03-09T06:30Z"],
  ["0 9 * * 1-5", NEW_YORK, "2026-03-06T15:00Z", "2026-03-09T13:00Z 2026-03-10T13:00Z"],
  // On 1 November 2026 at 06:00 UTC the clock returns from 02:00 to 01:00.
  ["30 1 * * *", NEW_YORK, "2026-10-31T12:00Z", "2026-11-01T05:30Z 2026-11-02T06:30Z"],

  ["0 * * * *", NEW_YORK, "2026-11-01T04:30Z", "2026-11-01T05:00Z 06:00Z 07:00Z"],
  ["0 0-3 * * *", NEW_YORK, "2026-11-01T04:30Z", "2026-11-01T05:00Z 07:00Z 08:00Z"],

  // On 4 October 2026 the clock jumps from 02:00 to 02:30, at 15:30 UTC of the day before.
  ["15 2 * * *", LORD_HOWE, "2026-10-03T00:00Z", "2026-10-03T15:30Z 2026-10-04T15:15Z"],
  // On 5 April 2026 the clock returns from 02:00 to 01:30, at 15:00 UTC of the day before.
  ["45 1 * * *", LORD_HOWE, "2026-04-04T00:00Z", "2026-04-04T14:45Z 2026-04-05T15:15Z"],
  [
    "*/15 1 * * *",
    LORD_HOWE,
    "2026-04-04T14:20Z",
    "2026-04-04T14:30Z 14:45Z 15:00Z 15:15Z 2026-04-05T14:30Z",
  ],

  // 29 March 2026 has no midnight: the clock jumps from 00:00 to 01:00, at 22:00 UTC of the day before.
  ["0 0 * * *", BEIRUT, "2026-03-28T00:00Z", "2026-03-28T22:00Z 2026-03-29T21:00Z"],
  // On 24 October 2026 at 21:00 UTC the clock returns from midnight to 23:00.
  ["30 23 * * *", BEIRUT, "2026-10-24T12:00Z", "2026-10-24T20:30Z 2026-10-25T21:30Z"],

  // 6 September 2026 has no midnight. On Saturday, 4 April, the hour from 23:00 is repeated.
  ["0 0 * * *", SANTIAGO, "2026-09-05T12:00Z", "2026-09-06T04:00Z 2026-09-07T03:00Z"],
  ["30 23 * * 6", SANTIAGO, "2026-04-04T12:00Z", "2026-04-05T02:30Z 2026-04-12T03:30Z"],

  // 30 December 2011 did not exist in Apia: the clock skipped the day at 10:00 UTC.
  ["0 12 * * *", "Pacific/Apia", "2011-12-29T00:00Z", "2011-12-29T22:00Z 2011-12-30T10:00Z 22:00Z"],
];

/** Cases of interval, anchor, instant, and the first due times after that instant. */
export const INTERVAL_CASES: [every: string, anchor: string, after: string, slots: string][] = [
  ["5m", "2026-01-01T00:00Z", "2026-01-01T00:00Z", "2026-01-01T00:05Z 00:10Z"],
  ["5m", "2026-01-01T00:00:07Z", "2026-01-01T00:05:06Z", "2026-01-01T00:05:07Z"],
  ["5m", "2026-01-01T00:00Z", "2026-01-01T00:05Z", "2026-01-01T00:10Z"],
  // The first due time is one interval after the anchor, even if the clock was set back to before the anchor.
  ["5m", "2026-01-01T00:00Z", "2025-12-31T22:00Z", "2026-01-01T00:05Z"],
  ["1s", "2026-01-01T00:00Z", "2026-01-01T00:00:00.500Z", "2026-01-01T00:00:01Z"],
  ["30s", "2026-01-01T00:00Z", "2026-01-01T00:00:31Z", "2026-01-01T00:01Z"],
  ["1h30m", "2026-01-01T00:00Z", "2026-01-01T00:00Z", "2026-01-01T01:30Z 03:00Z"],
  ["1d", "2026-01-01T09:30Z", "2026-02-10T12:00Z", "2026-02-11T09:30Z 2026-02-12T09:30Z"],
  // Intervals count elapsed time, so after a clock change the due time has another local hour.
  ["1d", "2026-03-28T07:00Z", "2026-03-28T07:00Z", "2026-03-29T07:00Z 2026-03-30T07:00Z"],
  ["1h", "2026-10-24T22:00Z", "2026-10-25T00:00Z", "2026-10-25T01:00Z 02:00Z"],
  ["90d", "2026-01-01T00:00Z", "2026-01-02T00:00Z", "2026-04-01T00:00Z 2026-06-30T00:00Z"],
];
