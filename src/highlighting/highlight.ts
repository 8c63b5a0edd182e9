import { createRequire } from 'node:module'
import { splitLines } from './split-lines.ts'

/** What is used of highlight.js. Its own types bring those of browsers with them, which hide mistakes elsewhere. */
interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void
  highlight(text: string, options: { language: string; ignoreIllegals: boolean }): { value: string }
}

const require = createRequire(import.meta.url)
const highlighter = require('highlight.js/lib/core') as Highlighter

/** Languages of the index whose grammars have other names in highlight.js. */
const GRAMMARS: Readonly<Record<string, string>> = {
  'asp-net': 'xml',
  assembly: 'x86asm',
  batch: 'dos',
  cuda: 'cpp',
  cython: 'python',
  'emacs-lisp': 'lisp',
  html: 'xml',
  'objective-c': 'objectivec',
  'objective-cpp': 'objectivec',
  shell: 'bash',
  'standard-ml': 'sml',
  svelte: 'xml',
  systemverilog: 'verilog',
  toml: 'ini',
  'visual-basic': 'vbnet',
  vue: 'xml',
}
/** What may name a module. */
const NAME = /^[a-z][a-z0-9-]{0,30}$/

/** Whether each grammar that was asked for is there. */
const loaded = new Map<string, boolean>()

function load(name: string): boolean {
  try {
    highlighter.registerLanguage(name, require(`highlight.js/lib/languages/${name}`))
    return true
  } catch {
    return false // highlight.js has no such grammar
  }
}

/** The grammar of a language, loaded; null where there is none. */
function grammarOf(language: string): string | null {
  const name = GRAMMARS[language] ?? language
  if (!NAME.test(name)) return null
  const isThere = loaded.get(name) ?? load(name)
  loaded.set(name, isThere)
  return isThere ? name : null
}

/**
 * Lines of markup for the lines of a text, in the same number; null where its language has no grammar.
 *
 * @param language - As the index calls it.
 */
export function highlight(text: string, language: string): string[] | null {
  const grammar = grammarOf(language)
  if (grammar === null) return null
  return splitLines(highlighter.highlight(text, { language: grammar, ignoreIllegals: true }).value)
}
