const MAX_CHARS = 1024
/** What stands before a value says what it is; no rule looks further back than this. */
const LOOK_AROUND = 32

/**
 * What is read as one piece: a quoted text, a URL, or a run of the characters of paths, names, addresses and numbers. A
 * quotation ends where the next one begins, so that an unclosed quote never makes text be read twice.
 */
const TOKEN =
  /(?<![\p{L}\p{N}])(?:'[^'\n]*'|"[^"\n]*"|`[^`'\n]*[`'])|“[^“”\n]*”|„[^„“”\n]*[“”]|‘[^‘’\n]*’|«[^«»\n]*»|‹[^‹›\n]*›|「[^「」\n]*」|(?<![\p{L}\p{N}])(?:https?|wss?|ftp|file):\/\/[^\s'"`<>]*|[\w.~/\\@:+-]+/gu
const RUN = /^[\w.~/\\@:+-]/

/** After these a quoted word is a name in the code, not a value: two missing attributes are two faults. */
const NAMES_CODE =
  /(?:reading|setting|attribute|argument|parameter|property|module|method|function|class|name|named|variable|column|field|type|import|constant|operator|symbol|relation|table|\b(?:code|errno|status))[\s:=]?[\s(]?$/i
/** What follows a quoted word that names code, where the message tells its kind only afterwards. */
const IS_CODE = /^ (?:object\b|is not (?:defined|a function|callable|iterable|subscriptable)\b)/
/** After these comes what could not be loaded: two missing modules are two faults, in quotes or not. */
const NAMES_MODULE = /(?:module|module named|package|import|imported|resolve|such file --) \(?$/i
/** After these a number says which fault it is. */
const NAMES_FAULT =
  /(?:\b(?:errno|code|status|sqlstate|signal|hresult|exit)\s?[:=[(#]?\s?|\b(?:error|exited with) #?|\bHTTP\/[\d.]{1,3} )$/i
/** After these a number of three digits, from 400 to 599, is the status of an HTTP answer. */
const NAMES_ANSWER = /(?:said|returned|responded|answered|with|http) $/i

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi
const HEX = /\b(?:0x[0-9a-f]+|[0-9a-f]{32,}|(?=[a-f]*\d)[0-9a-f]{8,})\b/gi
/** A number with its exponent and, for a duration, its unit; with a sign where it can be nothing else. */
const NUMBER = /(?<![^\s])-?\d+(?:[.,:]\d+)*(?:e[+-]?\d+)?(?:(?:[mnuµ]?s)\b)?|\d+(?:[.,:]\d+)*(?:[mnuµ]?s\b)?/gu

/**
 * A module as it was asked for; of an absolute path only the last part, since the rest is where the program was
 * deployed.
 */
const moduleName = (name: string): string =>
  /^(?:[\\/]|[A-Za-z]:[\\/]|file:)/.test(name)
    ? name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)
    : name

function shapeOfQuoted(quoted: string, before: string, after: string): string {
  const inner = quoted.slice(1, -1)
  if (NAMES_MODULE.test(before)) return /^[\w$@./\\:~-]+$/.test(inner) ? moduleName(inner) : '?'
  return (NAMES_CODE.test(before) || IS_CODE.test(after)) && /^[A-Za-z_$][\w$.\\-]*$/.test(inner) ? inner : '?'
}

/** Whether backslashes separate namespaces of PHP and not folders: no drive, no `..`, no extension. */
const isQualifiedName = (word: string): boolean =>
  !word.includes('/') && /^\\?[A-Za-z_]\w*\\/.test(word) && !/\.\w{1,5}$/.test(word)

function shapeOfRun(run: string, before: string): string {
  const end = /[.:]{1,3}$/.exec(run)?.[0] ?? '' // of a sentence
  const word = end === '' ? run : run.slice(0, -end.length)
  if (/[/\\]/.test(word)) {
    if (NAMES_MODULE.test(before) && !word.includes('://')) return moduleName(word) + end
    return isQualifiedName(word) ? run : '/'
  }
  if (word.lastIndexOf('@') > 0 && /@[\w-]+\./.test(word)) return `?${end}`
  if (NAMES_FAULT.test(before) && /^-?(?:0x)?[0-9a-f]{1,12}$/i.test(word)) return run
  if (NAMES_ANSWER.test(before) && /^[45]\d\d$/.test(word)) return run
  return run.replace(UUID, '#').replace(HEX, '#').replace(NUMBER, '#')
}

/**
 * A message with its values replaced: numbers, addresses, ids, paths, URLs, mail addresses and quoted text. Names in
 * the code, modules that could not be loaded, and error codes stay. A long message is cut after its first 1,024
 * characters. Linear time.
 */
export function messageShape(message: string): string {
  const text = message.slice(0, MAX_CHARS)
  return text
    .replace(TOKEN, (token, at: number) => {
      const before = text.slice(Math.max(0, at - LOOK_AROUND), at)
      return RUN.test(token)
        ? shapeOfRun(token, before)
        : shapeOfQuoted(token, before, text.slice(at + token.length, at + token.length + LOOK_AROUND))
    })
    .replace(/#(?:, ?#)+/g, '#')
}
