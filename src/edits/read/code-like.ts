import { anyOf } from '../text/any-of.ts'

/** How lines of code begin or end, and prose does not. */
const CODE = anyOf([
  /^(?: {2,}|\t)\S/,
  /[{};]$|\)[;,]?$|^[)\]}>]+[;,]?$|^\w+:$/,
  /^(?:import|from|def|class|function|const|let|var|return|if|for|while|package|using?|fn|func|pub|public|private)\b.*[^.:]$/,
  /^(?:export|module|require|include|async|await|type|interface|struct|enum|else|try|elif|case|namespace)\b.*[^.]$/,
  /^(?:def|class|if|for|while|with|elif|except)\b.*:$/,
  /^[\w.[\]"']+\s*(?::\s*\w+\s*)?[-+*/|]?=\s*\S/,
  /^(?:[#@<.]\S|\/\/|\/\*|--\s)/,
  /^[\w.]+\(.*\)[,;:]?$/,
])

/** Whether a line looks like code. */
export const isCodeLine = (line: string): boolean => CODE.test(line.trimEnd())

/** Whether lines outside of fences are code: most of them look so, and there are two at least. */
export function looksLikeCode(lines: readonly string[]): boolean {
  const filled = lines.filter(line => line.trim() !== '')
  return filled.length >= 2 && filled.filter(isCodeLine).length * 2 > filled.length
}
