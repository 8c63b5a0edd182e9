interface WorkflowCommand {
  command: string
  properties: Record<string, string>
  data: string
}

const unescapeData = (text: string): string =>
  text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%')
const unescapeProperty = (text: string): string => unescapeData(text.replaceAll('%3A', ':').replaceAll('%2C', ','))

function propertiesOf(list: string): Record<string, string> {
  return Object.fromEntries(
    list
      .split(',')
      .map(pair => pair.trim())
      .filter(pair => pair !== '')
      .map(pair => {
        const at = pair.indexOf('=')
        return [pair.slice(0, at), unescapeProperty(pair.slice(at + 1))]
      }),
  )
}

/** `::name properties::data` at the beginning of a line. */
function readNew(line: string): WorkflowCommand | null {
  const text = line.trimStart()
  const end = text.indexOf('::', 2)
  if (!text.startsWith('::') || end < 0) return null
  const info = text.slice(2, end)
  const space = info.indexOf(' ')
  const command = space < 0 ? info : info.slice(0, space)
  return {
    command,
    properties: space < 0 ? {} : propertiesOf(info.slice(space)),
    data: unescapeData(text.slice(end + 2)),
  }
}

/** `##[name properties]data` anywhere in a line. */
function readOld(line: string): WorkflowCommand | null {
  const start = line.indexOf('##[')
  const end = line.indexOf(']', start)
  if (start < 0 || end < 0) return null
  const [command = '', ...rest] = line.slice(start + 3, end).split(' ')
  return { command, properties: { list: rest.join(' ') }, data: line.slice(end + 1) }
}

/** What the runner of GitHub would do with the output of a step, by the rules of its two ways to write a command. */
export function workflowCommands(output: string): WorkflowCommand[] {
  return output.split(/\r\n|[\r\n]/).flatMap(line => readNew(line) ?? readOld(line) ?? [])
}
