/**
 * Lets many who ask for the same at once share one read. Nobody gets what was read before they asked: who comes while a
 * read is under way shares the next one with all others who do.
 *
 * @param read - What it throws, all who share it get.
 */
export function shareReads<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const current = new Map<string, Promise<T>>()
  const following = new Map<string, Promise<T>>()

  function begin(key: string): Promise<T> {
    const reading = read(key).finally(() => {
      if (current.get(key) === reading) current.delete(key)
    })
    current.set(key, reading)
    return reading
  }

  return key => {
    const running = current.get(key)
    if (running === undefined) return begin(key)
    const shared =
      following.get(key) ??
      running
        .then(
          () => {},
          () => {},
        )
        .then(() => {
          following.delete(key)
          return begin(key)
        })
    following.set(key, shared)
    return shared
  }
}
