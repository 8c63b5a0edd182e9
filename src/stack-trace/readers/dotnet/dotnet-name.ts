const ARITY = /`\d{1,3}/g
const STATE_MACHINE = /^<(.+)>(?:d__\w*|d|c__(?:Iterator|async)\w*)$/
const LAMBDA = /^<(.+)>(?:[bm]__|m__)\w*$/
const LOCAL = /^<.+>g__([^|]+)\|\w+$/
const HOLDER = /^<>c(?:__\w*)?$|^<>f__\w*$/
const STOREY = /^<(.+)>c__AnonStorey\w*$/
const NAMELESS = /^<>[bm]__\w*$/
const ACCESSOR = /^(?:get|set|add|remove|op)_(?=\p{L})/u

const isMachine = (name: string): boolean => /^[^<]*<.+>(?:d|c__)/.test(name)

function methodOf(part: string): string {
  const local = LOCAL.exec(part)?.[1]
  if (local !== undefined) return local
  const lambda = LAMBDA.exec(part)?.[1]
  if (lambda !== undefined) return methodOf(lambda)
  const inner = /^<(.+)>\$?$/.exec(part)?.[1]
  return (inner ?? part).replace(ACCESSOR, '')
}

/** Names are parted by `.`, those of nested classes by `+`; what stands in angle brackets is one name. */
function splitName(name: string): string[] {
  const parts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at <= name.length; at++) {
    const character = name[at]
    if (character === '<') depth++
    else if (character === '>') depth--
    else if (character === undefined || (depth <= 0 && (character === '.' || character === '+'))) {
      if (at > start) parts.push(name.slice(start, at))
      start = at + 1
    }
  }
  return parts
}

/** `Find[K]` and `Cart[[Line, Shop, Version=1.0]]` without what stands in brackets. */
function withoutTypeArguments(name: string): string {
  if (!name.includes('[')) return name
  let plain = ''
  let depth = 0
  for (const character of name) {
    if (character === '[') depth++
    else if (character === ']') depth--
    else if (depth <= 0) plain += character
  }
  return plain
}

/**
 * The method that the source calls so, behind the names that compilers make: `Acme.Cart.<Pay>d__5.MoveNext` is
 * `Acme.Cart.Pay`, a lambda is its method, an accessor its property, `.ctor` the class.
 *
 * @param printed - Without arguments.
 */
export function dotnetName(printed: string): string {
  const plain = withoutTypeArguments(printed.replace(ARITY, ''))
  const parts: string[] = []
  let holder: string | null = null // the method whose variables a class of the compiler's holds
  for (const part of splitName(plain)) {
    if (HOLDER.test(part)) continue
    const storey = STOREY.exec(part)?.[1]
    if (storey !== undefined) {
      holder = methodOf(storey)
      continue
    }
    const machine = STATE_MACHINE.exec(part)?.[1]
    if (machine !== undefined) parts.push(methodOf(machine))
    else if (holder !== null && NAMELESS.test(part)) parts.push(holder)
    else if (part === 'MoveNext' && parts.length > 1 && isMachine(plain)) continue
    else if (part === 'ctor' || part === 'cctor') parts.push(parts.at(-1) ?? part)
    else parts.push(methodOf(part))
  }
  return parts.join('.')
}
