/**
 * The oldest Node that runs this, as package.json, README.md and bin/faultline.js say, too. Below 24.2
 * `import.meta.main` is missing, by which a program knows that it was started; below 24.15 npm complains of a
 * dependency.
 */
export const NEEDED_NODE = '24.15'

/** Whether a version of Node, such as `24.1.0`, is new enough. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [neededMajor = 0, neededMinor = 0] = NEEDED_NODE.split('.').map(Number)
  return major > neededMajor || (major === neededMajor && minor >= neededMinor)
}

/**
 * Whether Node was started with this module, rather than importing it.
 *
 * @throws {Error} when this Node does not say so: the program would end at once, with code 0 and without a word.
 */
export function isProgram(module: { main?: boolean }): boolean {
  if (module.main !== undefined) return module.main
  throw new Error(`This is Node ${process.version}. Install Node ${NEEDED_NODE} or newer: https://nodejs.org/`)
}
