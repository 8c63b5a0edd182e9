/** Never resolves. @throws The signal's reason when it fires, at once if it has. */
export function rejectedBy(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason))
  if (signal.aborted) reject(signal.reason)
  return promise
}
