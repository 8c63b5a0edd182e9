/** How a copy of this machine was brought to what is published. */
type Restoration = 'restored' | 'current' | 'none'

interface GenerationTurns {
  /** Restores once for all who ask meanwhile, after a release that is under way; `held`: a build goes on here. */
  restore(project: string, restore: () => Promise<Restoration>, signal: AbortSignal): Promise<Restoration | 'held'>
  /** Keeps a project from being restored and given up until it is disposed of; waits for what is under way. */
  hold(project: string): Promise<Disposable>
  /**
   * Gives up a copy, unless something else is under way.
   *
   * @param release - Calls `mayBegin` right before the copy goes, with nothing between it and that moment.
   */
  release(project: string, release: (mayBegin: () => boolean) => Promise<boolean>): Promise<boolean>
}

/** Builds, restorations and releases of the generations of a machine: of one project, they take turns. */
export function createGenerationTurns(): GenerationTurns {
  const restoring = new Map<string, { done: Promise<Restoration>; signal: AbortSignal }>()
  /** Builds under way, by project. */
  const held = new Map<string, number>()
  /** Copies of this machine that are being removed, by project. */
  const releasing = new Map<string, Promise<boolean>>()

  return {
    async restore(project, restore, signal) {
      for (;;) {
        signal.throwIfAborted()
        await releasing.get(project)?.catch(() => {})
        if (held.has(project)) return 'held'
        const running = restoring.get(project) ?? { done: restore(), signal }
        if (!restoring.has(project)) {
          restoring.set(project, running)
          const forget = () => restoring.delete(project)
          running.done.then(forget, forget)
        }
        try {
          return await running.done
        } catch (error) {
          const isOfAnother = running.signal.aborted && running.signal !== signal
          if (!isOfAnother) throw error
        }
      }
    },

    async hold(project) {
      held.set(project, (held.get(project) ?? 0) + 1)
      await restoring.get(project)?.done.catch(() => {})
      await releasing.get(project)?.catch(() => {})
      return {
        [Symbol.dispose]() {
          const holders = (held.get(project) ?? 1) - 1
          if (holders === 0) held.delete(project)
          else held.set(project, holders)
        },
      }
    },

    async release(project, release) {
      const isBusy = (): boolean => held.has(project) || restoring.has(project)
      if (isBusy() || releasing.has(project)) return false
      const done = release(() => !isBusy())
      releasing.set(project, done)
      try {
        return await done
      } finally {
        releasing.delete(project)
      }
    },
  }
}
