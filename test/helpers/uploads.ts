import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack, type Header } from 'tar-stream'
import type { TestApp } from './build-app.ts'
import { createShop } from './sample-repository.ts'

/** An entry of an archive, with what is in it. */
export type Entry = Partial<Header> & { name: string; content?: string }

export async function tarGz(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack()
  for (const { content = '', ...header } of entries) tar.entry(header, content)
  tar.finalize()
  return gzipSync(await buffer(tar))
}

/** Uploads a file into the project `shop` and waits for the job; the answer with its status and headers. */
export async function upload({ app }: TestApp, payload: Buffer, query = '', headers: Record<string, string> = {}) {
  const url = `/projects/shop/upload?wait=60${query}`
  const res = await app.inject({ method: 'POST', url, payload, headers })
  return { ...res.json(), http: res.statusCode, headers: res.headers }
}

export const projectsOf = async ({ app }: TestApp) => (await app.inject('/projects')).json().data

/** What lies in a folder of the clones. */
export function leftIn({ root }: TestApp, folder: string): string[] {
  const path = join(root, 'cloned_repos', folder)
  return existsSync(path) ? readdirSync(path) : []
}

/** A repository, and what makes bundles of it. */
export function bundled(built: TestApp) {
  const shop = createShop(join(built.reposDir, 'origin'))
  const file = join(built.root, 'shop.bundle')
  const bundle = (...revisions: string[]): Buffer => {
    shop.git('bundle', 'create', file, ...revisions)
    return readFileSync(file)
  }
  return { shop, bundle }
}
