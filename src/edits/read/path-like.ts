import { baseName } from '../../core/path-names.ts'
import { anyOf } from '../text/any-of.ts'

/** Names of files that have no extension. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  'Dockerfile',
  'Containerfile',
  'Makefile',
  'GNUmakefile',
  'makefile',
  'LICENSE',
  'LICENCE',
  'COPYING',
  'NOTICE',
  'README',
  'CHANGELOG',
  'AUTHORS',
  'CONTRIBUTING',
  'CODEOWNERS',
  'VERSION',
  'INSTALL',
  'MANIFEST',
  'Procfile',
  'Gemfile',
  'Rakefile',
  'Guardfile',
  'Capfile',
  'Podfile',
  'Fastfile',
  'Appfile',
  'Brewfile',
  'Vagrantfile',
  'Jenkinsfile',
  'Pipfile',
  'Justfile',
  'justfile',
  'Caddyfile',
  'Tiltfile',
  'Earthfile',
  'BUILD',
  'WORKSPACE',
  'SConstruct',
  'Kconfig',
  'Kbuild',
  'gradlew',
  'mvnw',
  'Snakefile',
  'Dangerfile',
  'Berksfile',
  'Thorfile',
])

const EXTENSIONS: ReadonlySet<string> = new Set(
  `
    py pyi pyx pxd ipynb toml cfg ini conf cnf txt md mdx markdown rst adoc tex bib js mjs cjs jsx ts mts cts
    tsx vue svelte astro html htm xhtml css scss sass less styl json json5 jsonc jsonl ndjson geojson yaml yml
    xml xsd xsl svg csv tsv sql sqlite prisma graphql gql proto thrift avsc java kt kts groovy gradle scala sc
    sbt clj cljs cljc edn erl hrl ex exs eex heex leex hs lhs elm purs ml mli fs fsi fsx vb cs csproj fsproj
    vbproj sln csx razor cshtml xaml c h cc cpp cxx hpp hh hxx inl ino m mm swift go mod sum work rs zig nim
    nims nimble d dart lua rb erb rake gemspec ru haml slim php phtml twig blade pl pm t r rmd jl f f90 f95
    for asm s v sv vhd vhdl cu cuh cl glsl vert frag hlsl wgsl metal sh bash zsh fish ps1 psm1 psd1 bat cmd
    awk sed tcl vim el lisp scm rkt pro nix tf tfvars hcl dockerfile dockerignore gitignore gitattributes
    gitmodules editorconfig env example sample template tmpl tpl j2 jinja jinja2 mustache hbs handlebars ejs
    pug jade lock properties plist strings po pot desktop service socket timer spec cmake mk mak ninja bazel
    bzl star patch diff log snap webmanifest map wasm wat sol move cairo rego cue dhall jsonnet libsonnet
    npmrc nvmrc babelrc eslintrc prettierrc stylelintrc in ac am txtpb pbtxt textproto http rest feature robot
    bats tap ui qml qrc storyboard xib pbxproj entitlements xcconfig gd tscn tres godot unity shader crt pem
    pub cer tmLanguage rtf org gmi vtt srt ics vcf nfo ipa apl cob cbl abap ada adb ads pas dpr lpr bas cls
    frm hx as mxml coffee litcoffee ls iced sas do ado nb wl mat stan mod ampl dat gms lp mps smt2 tla thy
    lean agda idr coq
  `
    .trim()
    .split(/\s+/),
)

/** Two words with a slash between them, in headings. */
const PAIRS_OF_WORDS = anyOf(
  [
    /^(?:and\/or|either\/or|n\/a|i\/o|ci\/cd|tcp\/ip|yes\/no|on\/off|true\/false|input\/output|read\/write)/,
    /^(?:before\/after|client\/server|request\/response|pass\/fail|old\/new|http\/\d)/,
  ],
  'i',
)

/** Products whose names look like files. */
const PRODUCTS: ReadonlySet<string> = new Set([
  'Node.js',
  'Next.js',
  'Nuxt.js',
  'Vue.js',
  'React.js',
  'Express.js',
  'Three.js',
  'D3.js',
  'Chart.js',
  'Nest.js',
  'Ember.js',
  'Backbone.js',
  'Alpine.js',
  'Moment.js',
  'Socket.io',
  'ASP.NET',
  'VB.NET',
])

/** `strict`: only what can hardly be anything but a path; `lenient`: where a path is expected. */
type PathDoubt = 'strict' | 'lenient'

const NO_PATH_CHARACTER = /[<>|?*"`;,=：\0]/
const MAX_PATH_CHARS = 1024

const isNoPath = (path: string): boolean =>
  path === '' ||
  path.length > MAX_PATH_CHARS ||
  path.includes('://') ||
  path.endsWith('/') ||
  NO_PATH_CHARACTER.test(path) ||
  PAIRS_OF_WORDS.test(path) ||
  PRODUCTS.has(path)

/** Known names in small letters that are spelled like no other word: `dockerfile`, but not `build`. */
const KNOWN_IN_SMALL_LETTERS: ReadonlySet<string> = new Set(
  [...KNOWN_NAMES].map(name => name.toLowerCase()).filter(name => name.endsWith('file')),
)

const isKnown = (name: string): boolean => KNOWN_NAMES.has(name) || KNOWN_IN_SMALL_LETTERS.has(name)

/** `Makefile`, `Dockerfile.dev`. */
const isKnownName = (name: string): boolean => isKnown(name) || isKnown(name.slice(0, Math.max(0, name.indexOf('.'))))

/** `.babelrc`, `.env.local`. */
function isDotFile(name: string, lastDot: number): boolean {
  if (lastDot === 0 && /^\.[A-Za-z][\w-]*$/.test(name)) return true
  return lastDot > 0 && name.startsWith('.') && /^[\w.-]+$/.test(name)
}

/** Whether a name below a folder looks like a file's, whatever its extension. */
function isNameInFolder(name: string, lastDot: number, doubt: PathDoubt): boolean {
  const extension = name.slice(lastDot + 1)
  if (lastDot > 0) return /^[\w+-]+$/.test(extension) && /[A-Za-z]/.test(extension)
  return doubt === 'lenient' && !name.includes(' ') && name !== '.'
}

/** Whether an extension that is not known looks like one. */
const looksLikeExtension = (extension: string): boolean =>
  extension.length <= 10 && /^[a-z0-9]+$/.test(extension) && /[a-z]/.test(extension)

/**
 * Whether a token, without quotes or labels around it, looks like the path of a file. Whether that may be written is
 * another question.
 */
export function isPathLike(token: string, doubt: PathDoubt): boolean {
  const path = token.replaceAll('\\', '/')
  if (isNoPath(path)) return false
  const name = baseName(path)
  if (isKnownName(name)) return true
  if (/:\d/.test(name)) return false // a place in a file, of which an excerpt follows
  const dot = name.lastIndexOf('.')
  const extension = dot < 0 ? '' : name.slice(dot + 1)
  if (EXTENSIONS.has(extension) || EXTENSIONS.has(extension.toLowerCase())) return true
  if (isDotFile(name, dot)) return true
  if (path.includes('/')) return isNameInFolder(name, dot, doubt)
  return doubt === 'lenient' && dot > 0 && looksLikeExtension(extension)
}
