const SUFFIX = /(?: const| volatile| &{1,2}| noexcept| \[clone [^\]]{1,60}\]|@plt|@@?[\w.]{1,40})$/
const LAMBDA = /^::(?:\{lambda\(|\{unnamed|'lambda\d*'|\$_\d|<lambda\()/
const MAX_ROUNDS = 6

/** A lambda is the function that it stands in, unless it is only an argument. */
function withoutLambda(name: string): string {
  let depth = 0
  for (let at = 0; at < name.length; at++) {
    const character = name[at]
    if (character === '<' || character === '(') depth++
    else if ((character === '>' && name[at - 1] !== '-') || character === ')') depth--
    else if (character === ':' && depth === 0 && LAMBDA.test(name.slice(at, at + 14))) return name.slice(0, at)
  }
  return name
}

/** The name without its last pair of brackets, unless they belong to the name of an operator or a namespace. */
function withoutBrackets(name: string, opening: string, closing: string): string {
  let depth = 0
  for (let at = name.length - 1; at > 0; at--) {
    if (name[at] === closing) depth++
    else if (name[at] === opening && --depth === 0) {
      const head = name.slice(0, at)
      return /operator ?$/.test(head) || head.endsWith('::') || /operator[<>=-]+$/.test(name) ? name : head.trimEnd()
    }
  }
  return name
}

function withoutEnd(printed: string): string {
  let name = printed.trim()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = name
    name = name.replace(SUFFIX, '')
    if (name.endsWith(')')) name = withoutBrackets(name, '(', ')')
    else if (name.endsWith('>')) name = withoutBrackets(name, '<', '>')
    if (name === before) break
  }
  return name
}

/** `void acme::sell` → `acme::sell`: what stands before the last space that is in no brackets. */
function withoutResult(name: string): string {
  let depth = 0
  for (let at = name.length - 1; at > 0; at--) {
    const character = name[at] ?? ''
    if (character === ')' || character === '>' || character === ']') depth++
    else if (character === '(' || character === '<' || character === '[') depth--
    else if (character === ' ' && depth === 0 && !/operator/.test(name.slice(0, at + 1))) return name.slice(at + 1)
  }
  return name
}

function afterArguments(symbol: string, open: number): number {
  let depth = 0
  for (let at = open; at < symbol.length;) {
    const digits = /^\d{1,4}/.exec(symbol.slice(at, at + 4))?.[0]
    if (digits !== undefined) {
      at += digits.length + Number(digits)
      continue
    }
    const character = symbol[at] ?? ''
    if (character === 'S') at += /^S(?:[0-9A-Z]{0,4}_|[tabsiod])/.exec(symbol.slice(at, at + 6))?.[0].length ?? 1
    else {
      if ('INJXLF'.includes(character)) depth++
      else if (character === 'E' && --depth === 0) return at + 1
      at++
    }
  }
  return symbol.length
}

/** The qualified name of a symbol of the Itanium ABI: `_ZNK4acme4CartINS_4LineEE4eachEv` → `acme::Cart::each`. */
export function demangle(symbol: string): string {
  const parts: string[] = []
  let at = symbol.startsWith('_ZN') ? 3 : 2
  while (/[KVrRO]/.test(symbol[at] ?? '')) at++
  if (symbol.startsWith('St', at)) {
    parts.push('std')
    at += 2
  }
  while (at < symbol.length) {
    const digits = /^\d{1,4}/.exec(symbol.slice(at, at + 4))?.[0]
    if (digits !== undefined) {
      const start = at + digits.length
      parts.push(symbol.slice(start, start + Number(digits)))
      at = start + Number(digits)
    } else if (symbol[at] === 'I') {
      at = afterArguments(symbol, at)
    } else {
      const last = parts.at(-1)
      if (/^C[123]/.test(symbol.slice(at, at + 2)) && last !== undefined) parts.push(last)
      else if (/^D[012]/.test(symbol.slice(at, at + 2)) && last !== undefined) parts.push(`~${last}`)
      else break
      at += 2
    }
  }
  const named = parts.filter(part => !part.startsWith('_GLOBAL__N_')).filter(part => !/^h[0-9a-f]{16}$/.test(part))
  return named.length === 0 ? symbol : named.join('::')
}

/**
 * A C++ function without arguments, type of the result, template arguments at its end and the lambda inside it, so that
 * it ends with the name that the source has; null where nothing is known.
 */
export function nativeName(printed: string): string | null {
  const demangled = printed.startsWith('_Z') ? demangle(printed) : printed
  const name = withoutResult(withoutEnd(withoutLambda(demangled)))
  return name === '' || name === '??' || name === 'n/a' || name === '<null>' || name === '(unknown)' ? null : name
}
