import { codeLines } from './code-lines.ts'

/** Before a name it would call somebody, also behind emphasis or a backtick that opens nothing. */
const MENTION = /(?<![A-Za-z0-9])@(?=\w)/g
/**
 * `#1`, `!1`, `&1`, `GH-1` and `[issue:1]` lead to issues and requests, as do their addresses, and what others open
 * there is told of it.
 */
const REFERENCE =
  /(?<=[#!&]|\bGH-|\[(?:issue|epic|work_item|vulnerability):|\/(?:issues|pulls?|pull-requests|merge_requests|epics|work_items|discussions)\/)(?=\d)/gi
/** `&commat;` and `&#x40;` are read as what they stand for. */
const ENTITY = /&(?=#?\w{1,31};)/g
/** GitLab does what such a line says: `/merge`, `/close`, `/assign`. */
const COMMAND = /^(\s*(?:[-*+>]\s+)*)\/(?=[a-z_])/i
/**
 * A word behind which forges look for the issue that a merge closes. GitLab does so in blocks of code, too, and takes
 * names of issues of other trackers.
 */
const CLOSING =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(?=:?\s+(?:issues?\s|\S*#\d|https?:|GH-\d|[A-Z][A-Z0-9_]+-\d))/gi

const INVISIBLE = '\u200B'

/** Text in which no word closes an issue when it is merged. */
export const withoutClosing = (text: string): string => text.replace(CLOSING, word => `${word}${INVISIBLE}`)

/** One line for a title or a commit: nobody is called by it, no issue closed. */
export const plainTitle = (line: string): string =>
  withoutClosing(line).replace(MENTION, `@${INVISIBLE}`).replace(REFERENCE, INVISIBLE)

const shownLine = (line: string): string => plainTitle(line.replace(ENTITY, `&${INVISIBLE}`)).replace(COMMAND, '$1\\/')

/**
 * Markdown with foreign text in it that a forge only shows: nobody is called by name, no issue is closed or told of it,
 * and no line is a command to GitLab. In blocks of code only what closes issues is changed, as nothing else is read
 * there.
 */
export const onlyShown = (markdown: string): string =>
  codeLines(markdown)
    .lines.map(({ line, isCode }) => (isCode ? withoutClosing(line) : shownLine(line)))
    .join('\n')
