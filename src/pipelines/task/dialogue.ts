import type { TaskInput } from '../../contract/task.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import { coderDialogue } from './coder.ts'
import { chooseContext, renderContext, type ContextDeps } from './context/gather.ts'

/** What the coder is asked first, for `dry_run`. */
export async function firstTaskDialogue(
  deps: ContextDeps,
  { description }: TaskInput,
  { base, at }: Pick<ProjectBase, 'base' | 'at'>,
): Promise<DialogueMessage[]> {
  const { signal } = new AbortController()
  const selection = await chooseContext(deps, { base, at, description, signal })
  const context = await renderContext(deps, { base, selection })
  return coderDialogue({ context, description, feedback: null })
}
