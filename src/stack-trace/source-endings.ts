const LANGUAGES: ReadonlyArray<[language: string, endings: string]> = [
  ['c', 'c h'],
  ['cpp', 'cc cpp cxx c++ hh hpp hxx ipp inl tpp cu'],
  ['csharp', 'cs cshtml razor'],
  ['fsharp', 'fs fsx fsi'],
  ['visualbasic', 'vb'],
  ['clojure', 'clj cljs cljc'],
  ['cmake', 'cmake'],
  ['crystal', 'cr'],
  ['d', 'd'],
  ['dart', 'dart'],
  ['elixir', 'ex exs eex heex leex'],
  ['erlang', 'erl hrl'],
  ['elm', 'elm'],
  ['fortran', 'f f90 f95'],
  ['gleam', 'gleam'],
  ['go', 'go'],
  ['groovy', 'groovy gradle'],
  ['haskell', 'hs lhs'],
  ['hcl', 'tf tfvars hcl'],
  ['java', 'java jsp'],
  ['javascript', 'js mjs cjs jsx vue svelte astro coffee'],
  ['julia', 'jl'],
  ['kotlin', 'kt kts'],
  ['lua', 'lua'],
  ['markup', 'html htm erb haml slim twig jinja jinja2 j2 hbs ejs pug tmpl'],
  ['nim', 'nim'],
  ['nix', 'nix'],
  ['objectivec', 'm mm'],
  ['ocaml', 'ml mli re'],
  ['perl', 'pl pm t psgi'],
  ['php', 'php phtml inc phpt'],
  ['powershell', 'ps1 psm1'],
  ['protobuf', 'proto'],
  ['puppet', 'pp'],
  ['python', 'py pyi pyx pxd pyw ipynb'],
  ['r', 'r rmd'],
  ['ruby', 'rb rake gemspec ru'],
  ['rust', 'rs'],
  ['scala', 'scala sc'],
  ['shell', 'sh bash zsh ksh bats fish'],
  ['solidity', 'sol'],
  ['sql', 'sql'],
  ['starlark', 'bzl star'],
  ['style', 'css scss sass less styl'],
  ['swift', 'swift'],
  ['typescript', 'ts tsx mts cts'],
  ['zig', 'zig'],
]

const BY_ENDING = new Map(LANGUAGES.flatMap(([language, endings]) => endings.split(' ').map(ending => [ending, language] as const)))
const BY_NAME = new Map([['Makefile', 'make'], ['GNUmakefile', 'make'], ['Dockerfile', 'docker'], ['CMakeLists.txt', 'cmake'], ['Rakefile', 'ruby'], ['Gemfile', 'ruby'], ['BUILD', 'starlark'], ['BUILD.bazel', 'starlark'], ['Jenkinsfile', 'groovy']])

/** The language of a file as its name tells it; null when the name is not that of a source file. */
export function languageOfFile (file: string): string | null {
  const name = file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1)
  return BY_NAME.get(name) ?? BY_ENDING.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? null
}
