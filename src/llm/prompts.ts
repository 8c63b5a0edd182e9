import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FaultlineError } from '../core/errors.ts'

/** The prompts of the package, with the operator's replacements. */
export interface Prompts {
  /**
   * The named prompt with every `{{slot}}` replaced in one pass: a value that contains `{{x}}` is not expanded again.
   *
   * @throws {Error} No such prompt, a slot without a value, or a value without a slot: bugs of the caller.
   */
  render(name: string, slots: Readonly<Record<string, string>>): string
  /**
   * SHA-256 of a prompt's text before its slots are filled, in hex.
   *
   * @throws {Error} No such prompt.
   */
  sha256(name: string): string
}

interface PromptsOptions {
  /** A folder whose files replace the packaged ones of the same name; null or undefined: none. */
  promptsDir?: string | null
  /** The packaged prompts; tests pass their own. */
  packageDir?: string
}

interface Prompt {
  text: string
  slots: ReadonlySet<string>
}

// The same from src/llm and from dist/llm.
const PACKAGE_DIR = join(import.meta.dirname, '..', '..', 'prompts')
const FILE = /^([a-z0-9][a-z0-9_-]{0,63})\.md$/
const SLOT = /\{\{([A-Za-z][A-Za-z0-9_]*)\}\}/g
const MAX_BYTES = 256 * 1024

/**
 * The `.md` files of a folder. Files with a name that no prompt can have are included, so that a misspelt override is
 * not silently ignored.
 */
function promptFiles(dir: string): Array<{ name: string; file: string }> {
  return readdirSync(dir)
    .filter(file => file.endsWith('.md') && file.toLowerCase() !== 'readme.md')
    .sort()
    .map(file => ({ name: FILE.exec(file)?.[1] ?? '', file }))
}

function invalid(problem: string, fix: string, cause?: unknown): FaultlineError {
  return new FaultlineError('CONFIG_INVALID', `PROMPTS_DIR: ${problem}.`, fix, { cause })
}

function overrideFiles(promptsDir: string): Array<{ name: string; file: string }> {
  try {
    return promptFiles(promptsDir)
  } catch (cause) {
    throw invalid('the folder cannot be read', 'Name a folder with .md files, or leave PROMPTS_DIR unset.', cause)
  }
}

function readPrompt(dir: string, file: string): string {
  const bytes = readFileSync(join(dir, file))
  if (bytes.length > MAX_BYTES) throw new Error('The file is too large for a prompt.')
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replaceAll('\r\n', '\n').trimEnd()
}

function readOverride(promptsDir: string, file: string): string {
  try {
    return readPrompt(promptsDir, file)
  } catch (cause) {
    throw invalid(
      `${file} cannot be read as UTF-8 text of at most ${MAX_BYTES / 1024} KiB`,
      `Repair or remove ${file}.`,
      cause,
    )
  }
}

const slotsOf = (text: string): Set<string> => new Set(Array.from(text.matchAll(SLOT), match => match[1] ?? ''))

function override(prompts: Map<string, Prompt>, promptsDir: string): void {
  for (const { name, file } of overrideFiles(promptsDir)) {
    const packaged = prompts.get(name)
    if (packaged === undefined) {
      throw invalid(
        `${file} replaces no prompt`,
        `The prompts are: ${[...prompts.keys()].map(known => `${known}.md`).join(', ')}.`,
      )
    }
    const text = readOverride(promptsDir, file)
    const unknown = [...slotsOf(text)].find(slot => !packaged.slots.has(slot))
    if (unknown !== undefined) {
      throw invalid(
        `${file} uses {{${unknown}}}, which nothing fills`,
        `Its slots are: ${[...packaged.slots].map(slot => `{{${slot}}}`).join(', ')}.`,
      )
    }
    // The packaged prompt's slots stay: an override may leave one out, and callers pass all of them.
    prompts.set(name, { text, slots: packaged.slots })
  }
}

/**
 * Reads all prompts once, so that an invalid override fails at start, not in the middle of a job. They are a few small
 * files, read synchronously.
 *
 * @throws {FaultlineError} CONFIG_INVALID: PROMPTS_DIR cannot be read, or contains a file whose name is no prompt's (a
 * README.md is ignored), that is not UTF-8, is larger than 256 KiB, or uses a slot that the packaged prompt lacks.
 */
export function createPrompts({ promptsDir, packageDir = PACKAGE_DIR }: PromptsOptions = {}): Prompts {
  const prompts = new Map<string, Prompt>()
  for (const { name, file } of promptFiles(packageDir)) {
    const text = readPrompt(packageDir, file)
    prompts.set(name, { text, slots: slotsOf(text) })
  }
  if (promptsDir !== undefined && promptsDir !== null) override(prompts, promptsDir)

  function find(name: string): Prompt {
    const prompt = prompts.get(name)
    if (prompt === undefined) throw new Error(`There is no prompt named ${JSON.stringify(name)}.`)
    return prompt
  }

  return {
    sha256: name => createHash('sha256').update(find(name).text).digest('hex'),
    render(name, values) {
      const prompt = find(name)
      for (const given of Object.keys(values)) {
        if (!prompt.slots.has(given)) throw new Error(`The prompt ${name} has no slot {{${given}}}.`)
      }
      return prompt.text.replace(SLOT, (_, slot: string) => {
        const value = Object.hasOwn(values, slot) ? values[slot] : undefined
        if (value === undefined) throw new Error(`The prompt ${name} needs a value for {{${slot}}}.`)
        return value
      })
    },
  }
}
