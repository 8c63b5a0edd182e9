/** A word of a request, something in quotes, or a mark between them. */
export interface Token {
  /** Without quotes. */
  text: string
  /** In small letters; empty for what stands in quotes, which is never a word of the sentence. */
  word: string
  kind: 'word' | 'quoted' | 'mark'
}

const MAX_CHARS = 20_000
/** Languages that are written without blanks between words. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const TOKEN = new RegExp(
  [
    '`(?<ticks>[^`\\n]{1,200})`',
    '["“„«](?<quoted>[^"“”„«»\\n]{1,200})["”“»]',
    "(?<![\\p{L}\\p{N}])['‘](?<single>[^'’\\n]{1,200})['’](?![\\p{L}\\p{N}])",
    '(?<arrow>-{1,2}>|=>|→|⇒)',
    '(?<unspaced>[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}ー]+)',
    "(?<word>(?:\\p{L}|\\p{N}|::|[_$@#/.~*'’+]|-(?!>))+(?:\\([^()\\n]{0,80}\\))?)",
    '(?<mark>\\n|\\S)',
  ].join('|'),
  'gu',
)
/** An item of a list: its mark is no word. */
const ITEM = /^(?:[-*•+]|\d+\.|-{2,})$/

const mark = (text: string): Token => ({ text, word: text, kind: 'mark' })

/** A text without its blocks of code. */
function withoutBlocks(text: string): string {
  let open: string | null = null
  const lines = text.split('\n').map(line => {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1] ?? null
    const isCode = open !== null || mark !== null
    if (open === null) open = mark
    else if (mark === open) open = null
    return isCode ? '' : line
  })
  return lines.join('\n')
}

/** The words of a text without what is shown in blocks of code. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const addMark = (own: string): void => {
    if (own !== '\n' || tokens.at(-1)?.text !== '\n') tokens.push(mark(own))
  }
  const plain = withoutBlocks(text.slice(0, MAX_CHARS).replaceAll('\r', ''))
  for (const { 0: all, groups = {} } of plain.matchAll(TOKEN)) {
    const quoted = groups['ticks'] ?? groups['quoted'] ?? groups['single']
    if (quoted !== undefined) tokens.push({ text: quoted.trim(), word: '', kind: 'quoted' })
    else if (groups['arrow'] !== undefined) tokens.push(mark('->'))
    else if (groups['mark'] !== undefined) addMark(all)
    else if (ITEM.test(all)) tokens.push(mark('•'))
    else {
      const word = all.replace(/(?<=[^.])\.+$/, '')
      tokens.push({ text: word, word: word.toLowerCase().replaceAll('’', "'"), kind: 'word' })
      if (word !== all) tokens.push(mark('.'))
    }
  }
  return tokens
}

/** Whether a token is a run of a language without blanks. */
export const isUnspaced = ({ text, kind }: Token): boolean => kind === 'word' && UNSPACED.test(text)
