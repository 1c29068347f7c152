import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { Failure } from '../pipeline/failure.ts'
import { readParts } from './multipart.ts'

const type = 'multipart/form-data; boundary=xyz'

async function partsOf(body: string | Buffer, chunkSize: number, contentType = type) {
  const bytes = Buffer.from(body)
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, nth) =>
    bytes.subarray(nth * chunkSize, (nth + 1) * chunkSize),
  )
  const parts: unknown[] = []
  for await (const { bytes: own, ...part } of readParts(Readable.from(chunks), contentType)) {
    parts.push({ ...part, text: Buffer.concat(await Array.fromAsync(own)).toString('latin1') })
  }
  return parts
}

const part = (header: string, body: string) => `--xyz\r\n${header}\r\n\r\n${body}\r\n`
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`

test('parts are the same however the bytes are cut', async () => {
  const tricky = '\r\n--xy\r\n--xyy\r\n-\r\n--x'
  const body =
    `preamble\r\n${part(named('a'), 'one')}${part(named('b'), '')}` +
    part(`${named('file')}; filename="c.png"\r\ncontent-type: image/png`, tricky) +
    '--xyz--\r\nepilogue'
  const expected = [
    { name: 'a', fileName: undefined, type: undefined, text: 'one' },
    { name: 'b', fileName: undefined, type: undefined, text: '' },
    { name: 'file', fileName: 'c.png', type: 'image/png', text: tricky },
  ]
  for (let size = 1; size <= body.length; size++) {
    expect(await partsOf(body, size), `in chunks of ${size}`).toEqual(expected)
  }
  expect(await partsOf('--xyz--', 100)).toEqual([])
})

test.for([
  ['as browsers write it', 'filename="a%22b%0D%0A.png"', 'a"b  .png'],
  ['as curl writes it', 'filename="a\\"b\\\\c.png"', 'a"b\\c.png'],
  ['beyond ASCII', 'filename="Käse.png"', 'Käse.png'],
  ['twice', `filename="K_se.png"; filename*=UTF-8''K%C3%A4se.png`, 'Käse.png'],
  ['without quotes', 'filename=a.png', 'a.png'],
  ['empty', 'filename=""', ''],
] as const)('the name of a file is read %s', async ([, written, fileName]) => {
  const body = `${part(`${named('file')}; ${written}`, 'x')}--xyz--`
  expect(await partsOf(body, 7)).toEqual([{ name: 'file', fileName, type: undefined, text: 'x' }])
})

test.for([
  ['is not whole', `${part(named('a'), 'one')}--xy`, type],
  ['ends inside a part', `--xyz\r\n${named('a')}\r\n\r\none`, type],
  ['is empty', '', type],
  ['has a part without a name', `${part('Content-Type: text/plain', 'x')}--xyz--`, type],
  ['has an endless header', `--xyz\r\n${'x: y\r\n'.repeat(5000)}`, type],
  ['has a name that cannot be decoded', `${part(`${named('f')}; filename*=UTF-8''%E4`, '')}`, type],
  ['has no boundary', part(named('a'), 'one'), 'multipart/form-data'],
] as const)('a form is refused that %s', async ([, body, contentType]) => {
  await expect(partsOf(body, 10, contentType)).rejects.toThrow(Failure)
})
