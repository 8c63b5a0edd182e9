import { domainToUnicode } from 'node:url'

/** Scripts that names are written in today; Unicode's Recommended Scripts (UAX 31, table 5). */
const SCRIPTS = [
  'Arabic',
  'Armenian',
  'Bengali',
  'Bopomofo',
  'Cyrillic',
  'Devanagari',
  'Ethiopic',
  'Georgian',
  'Greek',
  'Gujarati',
  'Gurmukhi',
  'Hebrew',
  'Kannada',
  'Khmer',
  'Lao',
  'Latin',
  'Malayalam',
  'Myanmar',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Thaana',
  'Thai',
  'Tibetan',
]

/** Scripts that are written together, with Latin letters among them: Japanese, Chinese, Korean. */
const TOGETHER = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
]

const writtenIn = (scripts: readonly string[]): RegExp =>
  new RegExp(`^[${[...scripts, 'Common', 'Inherited'].map(script => `\\p{scx=${script}}`).join('')}]*$`, 'u')

const ALLOWED = [...SCRIPTS.map(script => [script]), ...TOGETHER].map(writtenIn)

/**
 * Whether each part of a host's name is written in one script, or in several that are written together: `раypal` with
 * two Cyrillic letters is not. This is the level "highly restrictive" of UTS 39.
 *
 * @param host - As WHATWG has it: in ASCII, international parts as `xn--…`.
 */
export function isOfOneScript(host: string): boolean {
  if (!host.includes('xn--')) return true
  return domainToUnicode(host)
    .split('.')
    .every(label => ALLOWED.some(pattern => pattern.test(label)))
}
