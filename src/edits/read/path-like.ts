import { baseName } from '../../core/path-names.ts'

/** Names of files without an extension. */
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
  (
    'py pyi pyx pxd ipynb toml cfg ini conf cnf txt md mdx markdown rst adoc tex bib js mjs cjs jsx ts mts cts tsx vue svelte astro html htm xhtml css scss sass less styl json json5 jsonc jsonl ndjson geojson yaml yml xml xsd xsl ' +
    'svg csv tsv sql sqlite prisma graphql gql proto thrift avsc java kt kts groovy gradle scala sc sbt clj cljs cljc edn erl hrl ex exs eex heex leex hs lhs elm purs ml mli fs fsi fsx vb cs csproj fsproj vbproj sln csx razor cshtml ' +
    'xaml c h cc cpp cxx hpp hh hxx inl ino m mm swift go mod sum work rs zig nim nims nimble d dart lua rb erb rake gemspec ru haml slim php phtml twig blade pl pm t r rmd jl f f90 f95 for asm s v sv vhd vhdl cu cuh cl glsl vert frag ' +
    'hlsl wgsl metal sh bash zsh fish ps1 psm1 psd1 bat cmd awk sed tcl vim el lisp scm rkt pro nix tf tfvars hcl dockerfile dockerignore gitignore gitattributes gitmodules editorconfig env example sample template tmpl tpl j2 jinja jinja2 ' +
    'mustache hbs handlebars ejs pug jade lock properties plist strings po pot desktop service socket timer spec cmake mk mak ninja bazel bzl star patch diff log snap webmanifest map wasm wat sol move cairo rego cue dhall jsonnet libsonnet ' +
    'npmrc nvmrc babelrc eslintrc prettierrc stylelintrc in ac am txtpb pbtxt textproto http rest feature robot bats tap ui qml qrc storyboard xib pbxproj entitlements xcconfig gd tscn tres godot unity shader crt pem pub cer tmLanguage ' +
    'rtf org gmi vtt srt ics vcf nfo ipa apl cob cbl abap ada adb ads pas dpr lpr bas cls frm hx as mxml coffee litcoffee ls iced sas do ado nb wl mat stan mod ampl dat gms lp mps smt2 tla thy lean agda idr coq'
  ).split(' '),
)

/** Two words with a slash between them, in headings. */
const PAIRS_OF_WORDS =
  /^(?:and\/or|either\/or|n\/a|i\/o|ci\/cd|tcp\/ip|yes\/no|on\/off|true\/false|input\/output|read\/write|before\/after|client\/server|request\/response|pass\/fail|old\/new|http\/\d)/i

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

/** How sure a place in a text is to hold a name. `strict`: only what can hardly be anything else. */
export type PathDoubt = 'strict' | 'lenient'

/**
 * Whether a token without quotes or labels around it is the name of a file, as far as its looks go. Says nothing about
 * whether it may be written.
 */
export function isPathLike(token: string, doubt: PathDoubt): boolean {
  const path = token.replaceAll('\\', '/')
  if (
    path === '' ||
    path.length > 1024 ||
    path.includes('://') ||
    path.endsWith('/') ||
    /[<>|?*"`;,=：\0]/.test(path) ||
    PAIRS_OF_WORDS.test(path) ||
    PRODUCTS.has(path)
  ) {
    return false
  }
  const name = baseName(path)
  if (KNOWN_NAMES.has(name) || KNOWN_NAMES.has(name.slice(0, Math.max(0, name.indexOf('.'))))) return true
  if (/:\d/.test(name)) return false // a place in a file, of which an excerpt follows
  const dot = name.lastIndexOf('.')
  const extension = dot < 0 ? '' : name.slice(dot + 1)
  if (EXTENSIONS.has(extension) || EXTENSIONS.has(extension.toLowerCase())) return true
  if (dot === 0 && /^\.[A-Za-z][\w-]*$/.test(name)) return true // .env, .babelrc
  if (name.startsWith('.') && dot > 0 && /^[\w.-]+$/.test(name)) return true // .env.local
  if (path.includes('/')) {
    return dot > 0
      ? /^[\w+-]+$/.test(extension) && /[A-Za-z]/.test(extension)
      : doubt === 'lenient' && !name.includes(' ') && name !== '..' && name !== '.'
  }
  return (
    doubt === 'lenient' && dot > 0 && /^[a-z0-9]+$/.test(extension) && /[a-z]/.test(extension) && extension.length <= 10
  )
}
