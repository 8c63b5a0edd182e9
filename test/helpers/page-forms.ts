import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { parse, type DefaultTreeAdapterMap } from 'parse5'

type Node = DefaultTreeAdapterMap['node']
type Element = DefaultTreeAdapterMap['element']

/** A form of a page as one of its buttons sends it. */
export interface PageForm {
  method: 'GET' | 'POST'
  action: string
  /** The value of each field as the page gives it; null where it is not sent, as that of a box without its tick. */
  fields: ReadonlyMap<string, string | null>
}

/** An answer, after the redirects that it led to. */
interface Visited extends LightMyRequestResponse {
  /** Where the redirects ended. */
  address: string
}

/** Whoever uses pages with a browser that keeps cookies and runs no script. */
export interface Visitor {
  open(address: string): Promise<Visited>
  /** @param values - In the place of those that the form has. */
  submit(form: PageForm, values: Readonly<Record<string, string>>): Promise<Visited>
}

const isElement = (node: Node): node is Element => 'tagName' in node

function below(node: Node): Element[] {
  const children = 'childNodes' in node ? node.childNodes : []
  return children.flatMap(child => (isElement(child) ? [child, ...below(child)] : []))
}

/** All elements of a page, in the order of the document. */
export const elementsOf = (markup: string): Element[] => below(parse(markup))

/** The value of an attribute; null for an element without it. */
const attributeOf = ({ attrs }: Element, name: string): string | null =>
  attrs.find(attribute => attribute.name === name)?.value ?? null

const textOf = (node: Node): string => {
  if ('value' in node) return node.value
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''
}

function chosenIn(select: Element): string {
  const options = below(select)
  const chosen = options.find(option => attributeOf(option, 'selected') !== null) ?? options[0]
  if (chosen === undefined) return ''
  return attributeOf(chosen, 'value') ?? textOf(chosen)
}

function valueOf(field: Element): string | null {
  if (field.tagName === 'select') return chosenIn(field)
  if (field.tagName === 'textarea') return textOf(field)
  if (attributeOf(field, 'type') === 'checkbox' && attributeOf(field, 'checked') === null) return null
  return attributeOf(field, 'value') ?? ''
}

function sentBy(form: Element): PageForm[] {
  const named = below(form).filter(element => attributeOf(element, 'name') !== null)
  const nameOf = (element: Element): string => attributeOf(element, 'name') ?? ''
  const fields = named
    .filter(({ tagName }) => tagName !== 'button')
    .map(field => [nameOf(field), valueOf(field)] as const)
  const buttons = named.filter(({ tagName }) => tagName === 'button').map(one => [[nameOf(one), valueOf(one)] as const])
  return (buttons.length === 0 ? [[]] : buttons).map(pressed => ({
    method: attributeOf(form, 'method') === 'post' ? 'POST' : 'GET',
    action: attributeOf(form, 'action') ?? '',
    fields: new Map([...fields, ...pressed]),
  }))
}

/** The forms of a page with all their fields, each as many times as it has buttons with a name. */
export const formsOf = (markup: string): PageForm[] =>
  elementsOf(markup)
    .filter(({ tagName }) => tagName === 'form')
    .flatMap(sentBy)

/** The addresses of other pages that a page has links to. */
export const linksOf = (markup: string): string[] =>
  elementsOf(markup)
    .filter(({ tagName }) => tagName === 'a')
    .map(link => attributeOf(link, 'href') ?? '')
    .filter(address => address.startsWith('/ui'))

/** A visitor of the pages of an app, who has no cookie yet. */
export function createVisitor(app: FastifyInstance): Visitor {
  const jar = new Map<string, string>()

  async function ask(method: 'GET' | 'POST', address: string, body?: string): Promise<Visited> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const url = address.replace(/#.*/, '')
    const response = await app.inject({
      method,
      url,
      headers: { cookie, ...type },
      ...(body === undefined ? {} : { body }),
    })
    for (const { name, value } of response.cookies) jar.set(name, value)
    const { location } = response.headers
    return location === undefined ? Object.assign(response, { address }) : ask('GET', String(location))
  }

  return {
    open: address => ask('GET', address),
    submit({ method, action, fields }, values) {
      const sent = [...new Map([...fields, ...Object.entries(values)])].filter(([, value]) => value !== null)
      const body = new URLSearchParams(sent as Array<[string, string]>).toString()
      return method === 'GET' ? ask(method, `${action}?${body}`) : ask(method, action, body)
    },
  }
}
