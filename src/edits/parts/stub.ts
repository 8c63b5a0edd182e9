import { linesOfUnit, type Side } from './side.ts'
import { significantLines } from './words.ts'

/** Bodies that do nothing. */
export const STUB = new RegExp(
  '^(?:pass|"""[^"]*"""|\\.{3}|…|return(?: None| null| nil)?;?|raise NotImplementedError.*|todo!\\(.*\\);?' +
    '|unimplemented!\\(.*\\);?|throw new (?:Error|\\w*NotImplemented\\w*)\\(.*\\);?|panic\\(.*\\)|end' +
    '|[{}()\\[\\];,]+)$',
)
/** A body of fewer lines says little. */
const MIN_BODY = 2
const ONE_LINE_STUB = /[:{(](?:pass|\.{3}|…|\/\*[^*]*\*\/)?[})]*;?$/

/** The lines of a unit below its first one that do something. */
const bodyOf = (side: Side, index: number): string[] =>
  significantLines(linesOfUnit(side, index).slice(1)).filter(line => !STUB.test(line))

/** Whether a unit has a body that does something. */
export const hasBody = (side: Side, index: number): boolean => bodyOf(side, index).length >= MIN_BODY

/** Whether all that a unit of the block has in place of a body is a stub, or nothing. */
export function isStub(side: Side, index: number): boolean {
  const [head = '', ...rest] = linesOfUnit(side, index)
  if (rest.length === 0) return ONE_LINE_STUB.test(head.replaceAll(/\s/g, ''))
  return bodyOf(side, index).length === 0
}
