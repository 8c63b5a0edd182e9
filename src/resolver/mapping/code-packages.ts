import type { Frame } from '../../core/frame.ts'

/**
 * The package or namespace that a runtime printed with a function, in languages whose packages determine the folder.
 */
export interface CodePackage {
  /** With `.` between its parts; '' for the default package. */
  name: string
  /** The outermost class; null for functions of a file. */
  className: string | null
}

const JVM_FILE = /\.(?:java|kts?|scala|sc|groovy|clj[cs]?)$/
const BEAM_FILE = /\.(?:exs?|erl|[hl]?eex)$/
const DECLARATION = /^[ \t]*(?:package|namespace)[ \t]+([\p{L}_][\p{L}\p{N}_.`\\]{0,300})/mu
const CLOJURE_NAMESPACE = /^\(ns[ \t]+([\w.-]{1,300})/m
const MAX_CHARS = 400
const MAX_HEAD_CHARS = 20_000

function dotted(printed: string): CodePackage | null {
  const parts = printed
    .replace(/\.<(?:cl)?init>$/, '.x')
    .replace(/\.\.c?ctor$/, '.x')
    .split('.')
  if (parts.length < 2 || parts.includes('')) return null
  const [className = ''] = parts.at(-2)?.split('$', 1) ?? []
  return { name: parts.slice(0, -2).join('.'), className: className === '' ? null : className }
}

/** Package and class of a JVM frame (`com.acme.Foo$Bar.method`), which prints its file without the folder. */
export function jvmPackage({ file, function: printed }: Pick<Frame, 'file' | 'function'>): CodePackage | null {
  if (printed === null || (file !== null && (!JVM_FILE.test(file) || /[/\\]/.test(file)))) return null
  return /^[\p{L}_$][\p{L}\p{N}_$.<>-]*$/u.test(printed.slice(0, MAX_CHARS))
    ? dotted(printed.slice(0, MAX_CHARS))
    : null
}

/** Namespace and class of a .NET frame that names no file: `Shop.Carts.Cart.Total(Int32 count)`. */
export function dotnetPackage({ file, function: printed }: Pick<Frame, 'file' | 'function'>): CodePackage | null {
  const open = printed?.indexOf('(') ?? -1
  if (printed === null || file !== null || open === -1 || printed.includes('::') || printed.includes('/')) return null
  const plain = printed
    .slice(0, Math.min(open, MAX_CHARS))
    .replace(/\[[^[\]]*\]/g, '')
    .replace(/`\d+/g, '')
    .replace(/\.<.*$/, '.x')
    .replace(/^([^+]*)\+.*\./, '$1.')
  return /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(plain) ? dotted(plain) : null
}

/**
 * The package that a source declares in Java, Kotlin, Scala, Groovy, Clojure, C# or PHP; null when its beginning
 * declares none.
 */
export function declaredPackage(text: string): string | null {
  const head = text.slice(0, MAX_HEAD_CHARS)
  const match = DECLARATION.exec(head) ?? CLOJURE_NAMESPACE.exec(head)
  return match?.[1]?.replaceAll('`', '') ?? null
}

/** The namespace of a PHP function: `Shop\Cart\Line->total` is in `Shop\Cart`; null when none is printed. */
export function phpNamespace({ function: printed }: Pick<Frame, 'function'>): string | null {
  if (printed === null) return null
  return /^([\w\\]{1,300})\\\w{1,100}(?:->|::)/.exec(printed)?.[1] ?? null
}

/** The package path of a Go function: `example.com/shop/v2/cart.(*Cart).Total` is in `example.com/shop/v2/cart`. */
export function goImportPath({ file, function: printed }: Pick<Frame, 'file' | 'function'>): string | null {
  if (printed === null || file === null || !/\.(?:go|s)$/.test(file)) return null
  const plain = printed.slice(0, MAX_CHARS)
  const call = /[\w\]]\(/.exec(plain)
  const name = plain.slice(0, call === null ? plain.length : call.index + 1)
  const slash = name.slice(0, name.search(/\.\(|$/)).lastIndexOf('/')
  const dot = name.indexOf('.', slash + 1)
  return dot === -1 ? null : name.slice(0, dot).replaceAll('%2e', '.')
}

/**
 * The application that Elixir and Erlang print before a file (`(shop 1.2.0) lib/cart.ex:3: …`); the path starts from
 * its folder.
 */
export function hexPackage({ raw, file }: Pick<Frame, 'raw' | 'file'>): string | null {
  if (file === null || !BEAM_FILE.test(file)) return null
  return /^\s{0,40}\((\w{1,60})(?: \d[\w.+-]{0,40})?\) /.exec(raw)?.[1] ?? null
}
