import { parentPort } from 'node:worker_threads'
import { highlight } from '../highlighting/highlight.ts'
import { languageOf } from '../indexer/languages.ts'
import { serve } from './rpc.ts'

/** Lines of a file. */
export interface CodeLines {
  path: string
  text: string
}

/** What the thread serves. */
export interface HighlightWorker {
  /** Lines of markup for each of the texts; null where the language of its file has no grammar. */
  highlight(texts: readonly CodeLines[]): Promise<Array<string[] | null>>
  close(): Promise<void>
}

const functions: HighlightWorker = {
  async highlight(texts) {
    return texts.map(({ path, text }) => {
      const language = languageOf(path)
      return language === null ? null : highlight(text, language)
    })
  },
  close: async () => {},
}

if (parentPort !== null) serve(parentPort, functions)
