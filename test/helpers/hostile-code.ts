import { OUTLINED_LANGUAGES, vocabularyOf } from '../../src/outline/outline.ts'

/**
 * Brackets, separators and the marks of literals in all languages: what a scanner makes of those of another one must
 * end as well.
 */
const MARKS = [
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '<',
  '>',
  '{}',
  '()',
  '\n',
  '\n  ',
  ' ',
  'a',
  'b c',
  '1',
  '"',
  "'",
  '`',
  '"""',
  '${',
  '#{',
  '$(',
  '\\',
  '\\(',
  '/',
  '//',
  '/*',
  '#',
  '#[',
  'r#"',
  'R"x(',
  '$@"',
  '\n#if x\n',
  '\n#else\n',
  '\n#endif\n',
  '<<EOS\n',
  '<<<X\n',
  '%w[',
  '\n=begin\n',
  '$$',
  '=',
  '=>',
  '->',
  '::',
  ':',
  ';',
  ',',
  '.',
  '@a',
  '*',
  '|',
  '!',
  '?',
  '</',
  '/>',
  '<a>',
  '<?',
  '?>',
  '(a)',
  '[a]',
  '=(',
  'a,',
]

/** Found by hand or by longer runs of the same search. */
const KNOWN: Record<string, string[]> = {
  go: ['\ntype(a ', '\nimport(', ';type a {', '{func a() struct {'],
  rust: ['use a,', `use ${'a'.repeat(390)}::{${'b::c,'.repeat(90)}};\n`, 'use a::{', 'fn pub() '],
  php: ['use{', 'use a,', '\nuse {', '#?><?'],
  scala: ['import a,', 'import a{', 'def a = '],
  kotlin: ['fun fun()', 'typealias a = b '],
  swift: ['var a:<', '`a '],
  ruby: ['class::', 'def a = '],
  cpp: ['operator ', 'a(){} : a{},'],
  javascript: ['<a>', '<a><b/>', '@a(class A{})\n', 'type a=<b,', '=a=>(b=a=>1)'],
}

/** Pieces of code that never ends, for every scanner. */
const UNFINISHED = [
  '{',
  '(',
  '<a',
  'a<',
  'a=x=>',
  '`${',
  '/',
  '"',
  '/*',
  'x:(',
  '\n def a',
  'class A ',
  'def ',
  '#if\n',
  '((a):',
  '<<A\n',
  'a(){',
  'f<a>(',
  'fn f ',
  'x = <b>',
  '[a]:',
  'a::',
  '=a(b)',
  '@a(',
  'template<',
  'import {',
  'type a=',
  'A b(c)\n',
  'create table ',
  'function f\n',
  'if x\n',
  '"#{',
  'int f(int) int x; ',
]

/** What code begins with where a file is not code from its first line on. */
const OPENINGS: Record<string, string> = { php: '<?php ', vue: '<script>' }
const COMPONENTS = ['astro', 'svelte']
/** One language for each scanner. */
export const SCANNED_LANGUAGES = OUTLINED_LANGUAGES.filter(
  (language, at, all) =>
    language in OPENINGS ||
    (!COMPONENTS.includes(language) &&
      all.findIndex(other => !COMPONENTS.includes(other) && vocabularyOf(other) === vocabularyOf(language)) === at),
)

/** What a text begins with so that it is code of a language. */
export const openingOf = (language: string): string => OPENINGS[language] ?? ''

/** Words and signs of a language and of all others. */
export function codeTokens(language: string): string[] {
  const vocabulary = vocabularyOf(language)
  return [...vocabulary, ...vocabulary.map(word => `${word} `), ...MARKS]
}

/** What a text of a language is made of that is hostile to its scanner. */
export const hostilePieces = (language: string): { known: string[]; others: string[] } => ({
  known: KNOWN[language] ?? [],
  others: [...UNFINISHED, ...codeTokens(language), ...Object.values(KNOWN).flat()],
})
