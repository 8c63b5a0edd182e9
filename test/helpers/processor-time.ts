/**
 * Milliseconds that this process has worked so far. For how long work takes: on a machine that is busy with other
 * things the clock would say more.
 */
export function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
