/** Makes a value when it is first asked for; the same one goes to all who ask. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => (made ??= { value: make() }).value
}
