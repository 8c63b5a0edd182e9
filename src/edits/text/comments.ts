/** How a kind of file spells comments: what begins one of a line, and the pairs around one of several lines. */
interface CommentMarks {
  line: readonly string[]
  pairs: ReadonlyArray<readonly [open: string, close: string]>
}

const C_LIKE: CommentMarks = { line: ['//'], pairs: [['/*', '*/']] }
const HASH: CommentMarks = { line: ['#'], pairs: [] }
const DASHES: CommentMarks = { line: ['--'], pairs: [['/*', '*/']] }
const MARKUP: CommentMarks = { line: [], pairs: [['<!--', '-->']] }
const NONE: CommentMarks = { line: [], pairs: [] }

/** Comments by the ends of names; what is not listed is like C. */
const BY_NAME: ReadonlyArray<readonly [names: RegExp, marks: CommentMarks]> = [
  [
    /\.pyi?$/i,
    {
      line: ['#'],
      pairs: [
        ['"""', '"""'],
        ["'''", "'''"],
      ],
    },
  ],
  [/\.rb$|(?:^|\/)(?:gem|rake)file$/i, { line: ['#'], pairs: [['=begin', '=end']] }],
  [
    /\.(?:ya?ml|toml|sh|bash|zsh|fish|pl|pm|r|rmd|jl|exs?|cff|nix|cmake|mk|txt|in|env|conf|dockerfile|gitignore)$/i,
    HASH,
  ],
  [/(?:^|\/)(?:docker|container|make|proc|justfile)\w*(?:\.[\w.]+)?$|ignore$|(?:^|\/)\.env(?:\.|$)|codeowners$/i, HASH],
  [/\.(?:ini|cfg|properties|editorconfig|npmrc)$/i, { line: ['#', ';'], pairs: [] }],
  [/\.(?:ps1|psm1)$/i, { line: ['#'], pairs: [['<#', '#>']] }],
  [/\.(?:php|tf|hcl)$/i, { line: ['//', '# '], pairs: [['/*', '*/']] }],
  [/\.(?:sql|lua|hs|elm|ada?)$/i, DASHES],
  [/\.(?:clj[cs]?|edn|lisp|el|scm|rkt|asm|s)$/i, { line: [';'], pairs: [] }],
  [/\.(?:tex|erl|m)$/i, { line: ['%'], pairs: [] }],
  [/\.mli?$/i, { line: [], pairs: [['(*', '*)']] }],
  [/\.(?:bat|cmd)$/i, { line: ['::', 'rem ', 'REM ', '@rem ', '@REM '], pairs: [] }],
  [/\.css$/i, { line: [], pairs: [['/*', '*/']] }],
  [/\.(?:html?|xhtml|xml|svg|xaml|csproj|props|targets|vue|svelte|astro)$/i, MARKUP],
  [/\.(?:md|mdx|markdown|rst|adoc|csv|tsv|json)$|(?:^|\/)(?:license|licence|readme|authors|notice|copying)$/i, MARKUP],
  [/\.(?:log|po)$/i, NONE],
]

/** Comments that a tool reads, or that the law asks for. */
const DIRECTIVE = new RegExp(
  '^(?:#!|//go:|// \\+build|#\\s*(?:-\\*-|type:|syntax=|frozen_string|encoding:|shellcheck )|// @ts-|/// <reference' +
    '|\\W{0,6}(?:eslint-|SPDX-|copyright\\b|licen[sc]ed? (?:under|to)\\b|\\(c\\) ))',
  'i',
)

const marksOf = (path: string): CommentMarks => BY_NAME.find(([names]) => names.test(path))?.[1] ?? C_LIKE

/**
 * For each line of a file, whether it is nothing but a comment. What a tool reads (`//go:build`) and whose the file is
 * counts as content.
 */
export function commentLines(path: string, lines: readonly string[]): boolean[] {
  const { line: marks, pairs } = marksOf(path)
  let close: string | null = null
  return lines.map(line => {
    const text = line.trim()
    const isDirective = DIRECTIVE.test(text)
    if (close !== null) {
      if (text.includes(close)) close = null
      return !isDirective
    }
    const pair = pairs.find(([open]) => text.startsWith(open))
    if (pair !== undefined) {
      const rest = text.slice(pair[0].length)
      const end = rest.indexOf(pair[1])
      if (end < 0) close = pair[1]
      return !isDirective && (end < 0 || rest.slice(end + pair[1].length).trim() === '')
    }
    return !isDirective && marks.some(mark => text.startsWith(mark))
  })
}
