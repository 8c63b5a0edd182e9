/** What writers of logs put in front of every line, besides the time (`log-stamps.ts`). */

/** `web-1  | ` of compose and process managers; the name is the first group. */
export const SERVICE = /^((?:\d{1,4}\|)?[A-Za-z][\w.@/-]{0,127}) {0,64}[|\u2502](?: |$)/

/** `[pod/web-1/app] ` of kubectl and stern; the name is the first group. */
export const POD = /^\[(?:pod\/)?([a-z0-9][\w.-]{0,127}\/[\w./-]{1,127})\] /

/** Job and step of a CI run, in front of its time. */
export const JOB_STEP = /^[^\t]{1,100}\t[^\t]{1,100}\t(?=\d{4}-\d\d-\d\dT)/

/** The commands of GitHub Actions, Azure Pipelines and GitLab that begin a line. */
export const CI_MARKER =
  /^(?:##\[(?:error|warning|debug|command|section|group|endgroup)\]|::(?:debug|group|endgroup|notice|warning|error)::|section_(?:start|end):\d{1,12}:[\w.-]{1,100}(?:\[[^\]]{0,100}\])?)/

/** `[xUnit.net 00:00:01.23] ` of .NET's test runner. */
export const XUNIT_CLOCK = /^\[xUnit\.net \d\d:\d\d:\d\d(?:\.\d{1,9})?\] /

/** The marks of quoted mail. */
export const MAIL_QUOTE = /^>{1,8} ?/
