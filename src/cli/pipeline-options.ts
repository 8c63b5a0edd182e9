import { InvalidArgumentError, Option, type Command } from 'commander'
import { NOTIFY_EVENTS, notifyIn, type NotifyEvent } from '../contract/primitives.ts'
import type { Budget, JsonObject } from '../core/job.ts'
import { integerOption } from './session.ts'

/** Options of every command that starts a pipeline. */
export interface PipelineOptions {
  model?: string
  temperature?: number
  budgetTokens?: number
  budgetSeconds?: number
  budgetUsd?: number
  dryRun?: boolean
  yes?: boolean
  notify?: NotifyEvent[]
}

/** Options of the commands that change code by edits. */
export interface EditOptions {
  maxRefinements?: number
  allowPartial?: boolean
  allowPaths?: string[]
}

/** Parses an option that is a number within bounds. */
export function numberOption(minimum: number, maximum: number): (text: string) => number {
  return text => {
    const value = /^\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : NaN
    if (!(value >= minimum && value <= maximum)) {
      throw new InvalidArgumentError(`Expected a number from ${minimum} to ${maximum}.`)
    }
    return value
  }
}

/** Parses `waiting`, `done`, or both with a comma between them. */
function notifyOption(text: string): NotifyEvent[] {
  const events = notifyIn(text)
  const isKnown = events.every(event => NOTIFY_EVENTS.includes(event)) && new Set(events).size === events.length
  if (!isKnown || events.join() !== text || text === '') {
    throw new InvalidArgumentError('Expected waiting, done, or waiting,done.')
  }
  return events
}

/** Adds the options of pipelines to a command. */
export function addPipelineOptions(command: Command): Command {
  return command
    .option('--model <name>', 'ask this model instead of the configured one')
    .option('--temperature <n>', '0 to 2', numberOption(0, 2))
    .option(
      '--budget-tokens <n>',
      'ask before more tokens than that are spent',
      integerOption('--budget-tokens', 1, 1_000_000_000),
    )
    .option('--budget-seconds <n>', 'ask before it runs longer', numberOption(0.1, 31_536_000))
    .option('--budget-usd <n>', 'ask before it costs more; needs MODEL_PRICES', numberOption(0.000_001, 1_000_000))
    .option('--dry-run', 'print what the model would be asked first, its tokens and their price; ask nobody')
    .addOption(
      new Option('--notify <when>', 'tell the chat of the server, and callback_url, when it waits or is done')
        .choices([...NOTIFY_EVENTS, NOTIFY_EVENTS.join()])
        .argParser(notifyOption),
    )
    .option('--yes', 'approve everything; questions about the prompt are left to assumptions')
}

/** Adds the options of commands that change code; the help of `--allow-paths` says what else may be changed. */
export function addEditOptions(command: Command, allowPathsHelp: string): Command {
  return command
    .option(
      '--max-refinements <n>',
      'how often the model is asked again, for edits that do not fit and after a no with a comment, 0 to 10',
      integerOption('--max-refinements', 0, 10),
    )
    .option('--allow-partial', 'take what fits, even if not all of it does')
    .option('--allow-paths <globs...>', allowPathsHelp)
}

const given = (fields: Record<string, unknown>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject

/**
 * The fields of the contract for these options, together with those given beside them; fields that were not given are
 * left out.
 */
export function bodyOf(
  { model, temperature, budgetTokens: tokens, budgetSeconds: seconds, budgetUsd: usd, notify }: PipelineOptions,
  own: Record<string, unknown>,
): JsonObject {
  const budget = given({ tokens, seconds, usd } satisfies Budget)
  return given({ ...own, model, temperature, notify, budget: Object.keys(budget).length === 0 ? undefined : budget })
}
