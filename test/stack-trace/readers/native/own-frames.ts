import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

/** The exceptions of a recorded trace. */
export const read = (name: string) => readExceptions(readTrace(name))

/** Frames in the files of the recorded program alone, without its folder. */
export const own = (frames: string[] | undefined) =>
  frames
    ?.filter(frame => /main\.cpp|cart\.(?:cpp|h)|plain\.c/.test(frame))
    .map(frame => frame.replace('/srv/app/native/', ''))
