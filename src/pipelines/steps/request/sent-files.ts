import { FaultlineError } from '../../../core/errors.ts'
import { MAX_FILE_BYTES } from '../../../core/job.ts'
import { safePath } from '../../../core/safe-path.ts'

const badPath = (path: string, problem: string, fix: string): FaultlineError =>
  new FaultlineError('BAD_PATH', `files: ${JSON.stringify(path.slice(0, 200))} ${problem}.`, fix)

/**
 * Files as clients send them, under the one spelling of their paths.
 *
 * @throws {FaultlineError} BAD_PATH: a path that leaves the workspace, that is there twice, or that another one needs
 * as a folder; a content that is no text. PAYLOAD_TOO_LARGE: more than a job keeps.
 */
export function checkSentFiles(sent: Readonly<Record<string, string>>): Record<string, string> {
  const files = new Map<string, string>()
  for (const [given, content] of Object.entries(sent)) {
    const path = safePath(given)
    if (path === null) {
      throw badPath(
        given,
        'is no path that may be written',
        'Send paths that are relative to the program\'s folder, without "..", and not of .git.',
      )
    }
    if (files.has(path)) throw badPath(given, 'is there twice in different spellings', 'Send each file once.')
    if (!content.isWellFormed()) {
      throw badPath(given, 'holds half of a character, which no UTF-8 file can', 'Send text.')
    }
    const bytes = Buffer.byteLength(content)
    if (bytes > MAX_FILE_BYTES) {
      throw new FaultlineError(
        'PAYLOAD_TOO_LARGE',
        `files: ${JSON.stringify(path.slice(0, 200))} has ${bytes} bytes; at most ${MAX_FILE_BYTES} are taken.`,
        'Leave the file out.',
      )
    }
    files.set(path, content)
  }
  for (const path of files.keys()) {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at)
      if (files.has(folder)) {
        throw badPath(folder, `is a file, and ${JSON.stringify(path)} needs it as a folder`, 'Rename one of them.')
      }
    }
  }
  return Object.fromEntries(files)
}
