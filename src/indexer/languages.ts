import { baseName, lowerBaseName } from '../core/path-names.ts'

/**
 * The languages that are indexed: `name: endings`, where an ending follows the last dot of a file's name (or an earlier
 * one, as in `blade.php`). `include` is what C, C++, PHP and assembly share: a piece of a source under an ending that
 * does not tell of which. Data (CSV, translations, images as text), logs and plain text are not among them.
 */
const BY_ENDING: ReadonlyArray<readonly [language: string, endings: string]> = [
  // programming
  ['ada', 'adb ads'],
  ['antlr', 'g4 g'],
  ['apex', 'cls'],
  ['applescript', 'applescript'],
  ['arduino', 'ino'],
  ['asp-net', 'aspx ascx asax ashx asmx master'],
  ['assembly', 'asm s'],
  ['awk', 'awk'],
  ['ballerina', 'bal'],
  ['batch', 'bat cmd'],
  ['bazel', 'bzl bazel star'],
  ['bicep', 'bicep'],
  ['c', 'c h'],
  ['clojure', 'clj cljs cljc edn'],
  ['cmake', 'cmake'],
  ['cobol', 'cob cbl cpy'],
  ['coccinelle', 'cocci'],
  ['coffeescript', 'coffee'],
  ['coldfusion', 'cfm cfc'],
  ['cpp', 'cc cpp cxx c++ cppm ixx hh hpp hxx ipp tpp inl'],
  ['crystal', 'cr'],
  ['csharp', 'cs csx'],
  ['cuda', 'cu cuh'],
  ['cython', 'pyx pxd pxi'],
  ['d', 'd di'],
  ['dart', 'dart'],
  ['delphi', 'pas dpr'],
  ['devicetree', 'dts dtsi'],
  ['elixir', 'ex exs'],
  ['elm', 'elm'],
  ['emacs-lisp', 'el'],
  ['erlang', 'erl hrl escript'],
  ['fish', 'fish'],
  ['fortran', 'f f77 f90 f95 f03 f08 for'],
  ['fsharp', 'fs fsi fsx'],
  ['gdscript', 'gd'],
  ['gleam', 'gleam'],
  ['glsl', 'glsl vert frag'],
  ['go', 'go'],
  ['groovy', 'groovy gvy'],
  ['gradle', 'gradle'],
  ['hack', 'hack hhi'],
  ['haskell', 'hs lhs'],
  ['haxe', 'hx'],
  ['hlsl', 'hlsl'],
  ['idris', 'idr'],
  ['include', 'inc'],
  ['java', 'java'],
  ['javascript', 'js mjs cjs jsx es6'],
  ['julia', 'jl'],
  ['jupyter', 'ipynb'],
  ['kotlin', 'kt kts'],
  ['lex', 'l'],
  ['linker-script', 'ld lds'],
  ['lisp', 'lisp lsp cl'],
  ['lua', 'lua luau'],
  ['m4', 'm4'],
  ['meson', 'meson'],
  ['mojo', 'mojo'],
  ['nim', 'nim nims'],
  ['nix', 'nix'],
  ['objective-c', 'm'],
  ['objective-cpp', 'mm'],
  ['ocaml', 'ml mli mll mly'],
  ['odin', 'odin'],
  ['opencl', 'opencl'],
  ['perl', 'pl pm t'],
  ['php', 'php phtml php5 php7 module'],
  ['powershell', 'ps1 psm1 psd1'],
  ['prolog', 'pro'],
  ['puppet', 'pp'],
  ['purescript', 'purs'],
  ['python', 'py pyi pyw'],
  ['qml', 'qml'],
  ['r', 'r'],
  ['racket', 'rkt'],
  ['raku', 'raku rakumod p6'],
  ['reason', 're rei'],
  ['rescript', 'res resi'],
  ['ruby', 'rb rake gemspec ru rbi rbs jbuilder podspec'],
  ['rust', 'rs'],
  ['sas', 'sas'],
  ['scala', 'scala sc sbt'],
  ['scheme', 'scm ss'],
  ['shell', 'sh bash zsh ksh bats'],
  ['smalltalk', 'st'],
  ['solidity', 'sol'],
  ['sql', 'sql ddl dml pls plsql psql'],
  ['standard-ml', 'sml'],
  ['stata', 'do ado'],
  ['svelte', 'svelte'],
  ['swift', 'swift'],
  ['systemverilog', 'sv svh'],
  ['tcl', 'tcl'],
  ['typescript', 'ts mts cts tsx'],
  ['v', 'vv'],
  ['vala', 'vala'],
  ['verilog', 'v vh'],
  ['vhdl', 'vhd vhdl'],
  ['vim', 'vim'],
  ['visual-basic', 'vb vbs bas'],
  ['vue', 'vue'],
  ['vyper', 'vy'],
  ['wat', 'wat wast'],
  ['wgsl', 'wgsl'],
  ['yacc', 'y ypp'],
  ['zig', 'zig'],
  // configuration and interfaces
  ['apache', 'htaccess'],
  ['avro', 'avdl avsc'],
  ['capnproto', 'capnp'],
  ['cue', 'cue'],
  ['dhall', 'dhall'],
  ['dockerfile', 'dockerfile containerfile'],
  ['dotenv', 'env.example env.sample env.template env.dist'],
  ['flatbuffers', 'fbs'],
  ['gherkin', 'feature'],
  ['graphql', 'graphql gql'],
  ['graphviz', 'dot gv'],
  ['hcl', 'hcl tf tfvars nomad'],
  ['ini', 'ini cfg conf cnf properties editorconfig desktop service socket timer'],
  ['json', 'json json5 jsonc webmanifest'],
  ['jsonnet', 'jsonnet libsonnet'],
  ['makefile', 'mk mak make am'],
  ['msbuild', 'csproj fsproj vbproj props targets vcxproj'],
  ['plist', 'plist'],
  ['prisma', 'prisma'],
  ['protobuf', 'proto'],
  ['rego', 'rego'],
  ['smithy', 'smithy'],
  ['thrift', 'thrift'],
  ['toml', 'toml'],
  ['yaml', 'yaml yml'],
  ['yang', 'yang'],
  // markup, templates and styles
  ['asciidoc', 'adoc asciidoc'],
  ['astro', 'astro'],
  ['blade', 'blade.php'],
  ['css', 'css pcss postcss'],
  ['eex', 'eex heex leex'],
  ['ejs', 'ejs'],
  ['erb', 'erb rhtml'],
  ['freemarker', 'ftl ftlh'],
  ['haml', 'haml'],
  ['handlebars', 'hbs handlebars'],
  ['html', 'html htm xhtml'],
  ['jinja', 'j2 jinja jinja2'],
  ['jsp', 'jsp jspx tag'],
  ['latex', 'tex sty bib'],
  ['less', 'less'],
  ['liquid', 'liquid'],
  ['mako', 'mako'],
  ['markdown', 'md markdown mdx'],
  ['mustache', 'mustache'],
  ['nunjucks', 'njk'],
  ['org', 'org'],
  ['pug', 'pug jade'],
  ['razor', 'cshtml razor'],
  ['restructuredtext', 'rst rest'],
  ['sass', 'sass'],
  ['scss', 'scss'],
  ['slim', 'slim'],
  ['stylus', 'styl'],
  ['template', 'tpl tmpl gotmpl stub'],
  ['twig', 'twig'],
  ['velocity', 'vm vtl'],
  ['xaml', 'xaml axaml'],
  ['xml', 'xml xsd xsl xslt wsdl dtd xjb resx xib storyboard'],
]

/** Whole names, in lower case, of files that their ending does not tell. */
const BY_NAME: ReadonlyArray<readonly [language: string, names: string]> = [
  ['bazel', 'build workspace module.bazel buck'],
  ['cmake', 'cmakelists.txt'],
  ['dockerfile', 'dockerfile containerfile'],
  ['go-module', 'go.mod go.work'],
  ['groovy', 'jenkinsfile'],
  ['just', 'justfile .justfile'],
  ['kconfig', 'kconfig'],
  ['m4', 'configure.in'],
  ['makefile', 'makefile gnumakefile bsdmakefile kbuild'],
  ['meson', 'meson.build meson_options.txt'],
  ['procfile', 'procfile'],
  ['python', 'sconstruct sconscript wscript snakefile'],
  ['requirements', 'requirements.txt constraints.txt'],
  ['ruby', 'gemfile rakefile guardfile podfile capfile fastfile appfile brewfile vagrantfile dangerfile berksfile'],
  ['shell', '.bashrc .bash_profile .profile .zshrc gradlew mvnw configure.ac'],
  ['starlark', 'tiltfile'],
  ['toml', 'pipfile'],
  ['vim', '.vimrc'],
  ['yaml', '.clang-format .clang-tidy'],
  ['json', '.babelrc .eslintrc .prettierrc .swcrc .jshintrc'],
  [
    'ini',
    '.editorconfig .gitattributes .gitignore .gitmodules .dockerignore .npmignore .eslintignore .prettierignore ' +
      '.flake8 .pylintrc .coveragerc .hgignore .babelignore',
  ],
]

/** Patterns for families of names; tested on the lower-case name after the tables. */
const BY_PATTERN: ReadonlyArray<readonly [language: string, pattern: RegExp]> = [
  ['dockerfile', /^(?:dockerfile|containerfile)[.-][\w.-]+$/],
  ['makefile', /^makefile\.[\w.-]+$/],
  ['requirements', /^(?:requirements|constraints)[\w.-]*\.(?:txt|in)$/],
  ['groovy', /^jenkinsfile[.-][\w.-]+$/],
]

const BY_INTERPRETER: ReadonlyArray<readonly [language: string, interpreter: RegExp]> = [
  ['python', /^(?:python|pypy)[\d.]*$/],
  ['shell', /^(?:ba|da|z|k|a)?sh$/],
  ['javascript', /^(?:node|nodejs|bun)$/],
  ['typescript', /^(?:deno|ts-node|tsx)$/],
  ['ruby', /^(?:ruby|jruby)[\d.]*$/],
  ['perl', /^perl[\d.]*$/],
  ['php', /^php[\d.]*$/],
  ['lua', /^lua[\d.]*$/],
  ['awk', /^[gm]?awk$/],
  ['r', /^rscript$/i],
  ['elixir', /^elixir$/],
  ['tcl', /^(?:tclsh|wish)$/],
  ['groovy', /^groovy$/],
  ['makefile', /^make$/],
  ['fish', /^fish$/],
  ['swift', /^swift$/],
  ['julia', /^julia$/],
  ['haskell', /^runhaskell$/],
  ['erlang', /^escript$/],
  ['powershell', /^pwsh$/],
]

/** Endings of files from which a tool or a person makes the named one: `config.h.in`, `settings.py.template`. */
const MADE_FROM = /\.(?:in|template|tmpl|tpl|stub|dist|example|sample)$/

function asMap(table: ReadonlyArray<readonly [string, string]>): Map<string, string> {
  return new Map(table.flatMap(([language, keys]) => keys.split(' ').map((key): [string, string] => [key, language])))
}

const ENDINGS = asMap(BY_ENDING)
const NAMES = asMap(BY_NAME)

function languageOfName(name: string): string | null {
  const byName = NAMES.get(name)
  if (byName !== undefined) return byName
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const language = ENDINGS.get(name.slice(dot + 1))
    if (language !== undefined) return language // the longest ending first: `x.blade.php`
  }
  return BY_PATTERN.find(([, pattern]) => pattern.test(name))?.[0] ?? null
}

/** The language of a file by its name alone; null when the name does not tell or the language is not indexed. */
export function languageOf(path: string): string | null {
  const name = lowerBaseName(path)
  const made = name.replace(MADE_FROM, '')
  const language = made === name ? null : languageOfName(made)
  return language ?? languageOfName(name)
}

/** The language that a script's first line names (`#!/usr/bin/env python3`), or null. */
export function languageOfShebang(text: string): string | null {
  if (!text.startsWith('#!')) return null
  const words = text.slice(2, 200).split('\n', 1)[0]?.trim().split(/\s+/) ?? []
  const program = words.map(baseName).find((word, i) => word !== 'env' && !(i > 0 && /^-|=/.test(word)))
  return BY_INTERPRETER.find(([, interpreter]) => program !== undefined && interpreter.test(program))?.[0] ?? null
}
