import { registerHooks } from 'node:module'

/** GitHub's parser is written for bundlers, which need not be told that a file is JSON. */
async function loadParser() {
  const hooks = registerHooks({
    load: (url, context, next) =>
      next(url, url.endsWith('.min.json') ? { ...context, importAttributes: { type: 'json' } } : context),
  })
  try {
    const [{ parseAction }, { NoOperationTraceWriter }] = await Promise.all([
      import('@actions/workflow-parser/actions/action-parser'),
      import('@actions/workflow-parser'),
    ])
    return { parseAction, trace: new NoOperationTraceWriter() }
  } finally {
    hooks.deregister()
  }
}

/** What the parser of GitHub has against the text of an `action.yml`. */
export async function actionErrors(content: string): Promise<string[]> {
  const { parseAction, trace } = await loadParser()
  const { context } = parseAction({ name: 'action.yml', content }, trace)
  return context.errors.getErrors().map(({ message }) => message)
}
