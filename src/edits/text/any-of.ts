/** A pattern that matches where any of these does. */
export const anyOf = (patterns: readonly RegExp[], flags = ''): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join('|'), flags)
