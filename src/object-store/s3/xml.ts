import { SaxesParser } from 'saxes'

/** An element of an answer, without attributes. */
export interface XmlElement {
  name: string
  text: string
  children: XmlElement[]
}

/** The root of a document; null for what is no XML, such as a proxy's page. */
export function parseXml(text: string): XmlElement | null {
  const top: XmlElement = { name: '', text: '', children: [] }
  const open = [top]
  let isWhole = true
  const parser = new SaxesParser()
  parser.on('opentag', ({ name }) => {
    const element = { name, text: '', children: [] }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('closetag', () => {
    open.pop()
  })
  parser.on('text', piece => {
    const element = open.at(-1)
    if (element !== undefined) element.text += piece
  })
  parser.on('error', () => {
    isWhole = false
  })
  parser.write(text).close()
  const [root] = top.children
  return isWhole && root !== undefined ? root : null
}

/** The text of the first child of a name; empty where there is none. */
export function textOf(element: XmlElement | null, name: string): string {
  return element?.children.find(child => child.name === name)?.text.trim() ?? ''
}
