/**
 * Milliseconds that this thread has worked so far. For how long work takes: on a machine that is busy with other things
 * the clock would say more, and the process also counts the threads that collect the garbage of other test files.
 */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
