/** The parts of a function's name as a runtime printed it. */
interface FunctionParts {
  /** The function as its definition spells it. */
  name: string
  /** The class, module or receiver before it; null when none is printed. */
  owner: string | null
}

const MAX_CHARS = 400
const WORD = /[\p{L}\p{N}_$]+/gu
const NOT_A_NAME = new Set([
  'anonymous',
  'eval',
  'module',
  'lambda',
  'genexpr',
  'listcomp',
  'dictcomp',
  'setcomp',
  'locals',
  'Object',
  'main',
  'top',
  'required',
  'closure',
  'func',
  'MoveNext',
  'invokeSuspend',
  'anonfun',
  'unknown',
  'native',
  'operator',
  'const',
])
const NO_OWNER = new Set([...NOT_A_NAME, 'namespace', 'class', 'extend', 'prototype', 'exports'])
const INITIALIZERS = new Set(['init', 'clinit', 'ctor', 'cctor'])
const GENERATED = /^(?:func)?\d+$/
const NO_FUNCTION = /^<(?!class:|module:|\w+>[bdg]__|>c|[^>]{1,200}>::)/

function withoutNoise(printed: string): string {
  const alias = printed.endsWith(']') ? printed.lastIndexOf(' [as ') : -1
  let text = alias === -1 ? printed : printed.slice(0, alias)
  text = text
    .replace(/^(?:(?:new|async|get|set|static) )+/, '')
    .replace(/^(?:(?:block|rescue|ensure)\b[^<>#]{0,40}? in )+/, '')
  text = text.replace(/::h[0-9a-f]{16}$/, '').replace(/\{\{?closure\}\}?|\{vtable\.shim\}|\{\{?[\w:#-]{1,60}\}\}?/g, '')
  const call = /[\p{L}\p{N}_$>\]~]\(/u.exec(text)
  if (call !== null) text = text.slice(0, call.index + 1)
  return text
    .replace(/`\d+/g, '')
    .replace(/\[[^[\]]{0,200}\]/g, '')
    .replace(/\/\d+$/, '')
    .replace(/<(?:[^<>]{0,200})>(?=::|$)/g, (part, at: number) =>
      at === 0 || INITIALIZERS.has(part.slice(1, -1)) ? part : '',
    )
}

/**
 * The names in a word with `$`: `lambda$total$0` is in `total`, `Cart$Totals` is `Totals` in `Cart`. A name that only
 * begins with `$` is one.
 */
function expanded(word: string): string[] {
  const lambda = /^(?:\$?lambda|\$?anonfun|\$?deserializeLambda)\$(.+?)(?:\$\d+)*$/.exec(word)
  if (lambda?.[1] !== undefined) return [lambda[1]]
  return /^[\p{L}\p{N}_]+\$[\p{L}\p{N}_$]+$/u.test(word) ? word.split('$').filter(part => !/^\d*$/.test(part)) : [word]
}

function parts(text: string): FunctionParts | null {
  const words = (text.match(WORD) ?? []).flatMap(expanded).filter(word => word !== '')
  // The program's entry is a name, unless it is printed as `<main>`.
  const isName = (word: string): boolean =>
    (!GENERATED.test(word) && !NOT_A_NAME.has(word)) || (word === 'main' && !text.startsWith('<'))
  const last = words.findLastIndex(isName)
  const name = words[last]
  if (name === undefined) return null
  const before = words[last - 1]
  const owner = before === undefined || before.length < 2 || NO_OWNER.has(before) ? null : before
  if (INITIALIZERS.has(name) && owner !== null && /<(?:init|clinit)>$|\.c?ctor$/.test(text)) {
    return { name: owner, owner }
  }
  return { name, owner }
}

/**
 * The name of a frame's function as its definition spells it, whatever a runtime makes of it: without arguments, type
 * parameters, addresses and the names that compilers give to closures, state machines and constructors.
 *
 * @returns null when it has none (`<module>`, `eval`, a lambda of the top level).
 */
export function functionParts(printed: string | null): FunctionParts | null {
  if (printed === null || NO_FUNCTION.test(printed)) return null
  const plain = withoutNoise(printed.slice(0, MAX_CHARS))
  const generated = /<(\w+)>[bdg]_/.exec(plain) // C#: a lambda, state machine or local function of that method
  if (generated?.[1] !== undefined) return parts(`${plain.slice(0, generated.index)}.${generated[1]}`)
  return parts(plain)
}
