/** A copy of an object with every number in it changed. Paths are like `lists.frames.named.rank`. */
export function mapNumbers<T>(value: T, change: (number: number, path: string) => number, path = ''): T {
  if (typeof value === 'number') return change(value, path) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]: [string, unknown]) => [
    key,
    mapNumbers(inner, change, path === '' ? key : `${path}.${key}`),
  ])
  return Object.fromEntries(entries) as T
}

/** Every number in an object, by its path. */
export function numbersIn(value: object): Map<string, number> {
  const numbers = new Map<string, number>()
  mapNumbers(value, (number, path) => {
    numbers.set(path, number)
    return number
  })
  return numbers
}
