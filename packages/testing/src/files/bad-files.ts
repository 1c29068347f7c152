import { randomBytes } from 'node:crypto'
import sharp, { type Sharp } from 'sharp'
import { blackPng, gifOfFrames, jpegWithComment, pngWithText, zipOf } from './raw-formats.ts'

/** A file that somebody sends with bad intent, and what must become of it. */
export interface BadFile {
  readonly title: string
  readonly name: string
  readonly declared: string
  readonly bytes: Buffer
  /** `rewritten`: what is shown has nothing of `payload`. `saved`: nobody's browser shows it by itself. */
  readonly outcome: 'refused' | 'rewritten' | 'saved'
  readonly payload?: string
}

export const payload = 'alert(document.domain)'
const script = `<script>${payload}</script>`
const page = `<!DOCTYPE html><html><body>${script}</body></html>`
const svg = `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`

const picture = (width = 64, height = 48): Sharp =>
  sharp({ create: { width, height, channels: 3, background: '#3b6ea5' } })

/** With the place where it was taken, which nobody needs to know. */
export function withPosition(from: Sharp): Sharp {
  return from.withExif({
    IFD0: { ImageDescription: payload, Model: 'Camera' },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSLongitudeRef: 'W' },
  })
}

const utf16 = (text: string, swap = false): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return swap ? bytes.swap16() : bytes
}

/** What browsers run, under the name of a picture. */
function pages(): BadFile[] {
  const contents: readonly (readonly [string, Buffer])[] = [
    ['HTML', Buffer.from(page)],
    ['HTML behind a byte order mark', Buffer.from(`\ufeff${page}`)],
    ['HTML behind white space', Buffer.from(`\r\n\t   ${page}`)],
    ['HTML behind a comment', Buffer.from(`<!-- a picture -->${page}`)],
    ['HTML in UTF-16', utf16(page)],
    ['HTML in UTF-16, the other way round', utf16(page, true)],
    ['a script', Buffer.from(script)],
    ['a frame', Buffer.from(`<iframe src="javascript:${payload}"></iframe>`)],
    ['an image with a script', Buffer.from(`<img src=x onerror=${payload}>`)],
    ['XHTML', Buffer.from(`<?xml version="1.0"?><html xmlns="x">${script}</html>`)],
    ['SVG with a script', Buffer.from(svg)],
    ['SVG with a handler', Buffer.from(`<svg onload="${payload}"/>`)],
    ['SVG behind a prologue', Buffer.from(`<?xml version="1.0"?><!DOCTYPE svg><!-- -->${svg}`)],
    ['SVG with a page in it', Buffer.from(`<svg><foreignObject>${page}</foreignObject></svg>`)],
    [
      'SVG with a prefix',
      Buffer.from(`<x:svg xmlns:x="s"><x:script>${payload}</x:script></x:svg>`),
    ],
  ]
  const named = contents.map(
    ([title, bytes]): BadFile => ({
      title: `${title}, named as a picture`,
      name: 'cat.jpg',
      declared: 'image/jpeg',
      bytes,
      outcome: 'refused',
    }),
  )
  const honest = (title: string, name: string, declared: string, text: string): BadFile => ({
    title,
    name,
    declared,
    bytes: Buffer.from(text),
    outcome: 'refused',
  })
  const laughs = '<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><svg>&b;</svg>'
  return [
    ...named,
    honest('HTML as it is', 'page.html', 'text/html', page),
    honest('SVG as it is', 'pic.svg', 'image/svg+xml', svg),
    honest('HTML as text', 'notes.txt', 'text/plain', page),
    honest('HTML as anything', 'notes', 'application/octet-stream', page),
    honest('a page archive', 'page.mhtml', 'application/octet-stream', 'MIME-Version: 1.0'),
    honest('SVG whose entities grow', 'pic.xml', 'application/xml', laughs),
  ]
}

/** Two things at once. */
async function polyglots(): Promise<BadFile[]> {
  const jpeg = await picture().jpeg().toBuffer()
  const png = await picture().png().toBuffer()
  const webp = await picture().webp().toBuffer()
  const gif = await picture().gif().toBuffer()
  const archive = zipOf('Evil.class', Buffer.from(payload))
  const and = (one: Buffer, other: Buffer | string) => Buffer.concat([one, Buffer.from(other)])
  const jpegs: readonly (readonly [string, Buffer])[] = [
    ['JPEG with a page in a comment', jpegWithComment(jpeg, page)],
    ['JPEG with a page behind it', and(jpeg, page)],
    ['JPEG with an archive behind it', and(jpeg, archive)],
    ['JPEG with PHP in a comment', jpegWithComment(jpeg, `<?php ${payload} ?>`)],
  ]
  const pictures: readonly (readonly [string, string, Buffer])[] = [
    ['PNG with a page behind it', 'png', and(png, page)],
    ['PNG with a page in its text', 'png', pngWithText(png, page)],
    ['WebP with a page behind it', 'webp', and(webp, page)],
    ['GIF with a page behind it', 'gif', and(gif, page)],
    ['GIF with a page in a comment', 'gif', gifOfFrames(1, page)],
  ]
  const id3 = Buffer.from(`ID3\x03\x00\x00\x00\x00\x00\x40${page.padEnd(64)}`, 'latin1')
  const rewritten = { outcome: 'rewritten', payload } as const
  return [
    ...jpegs.map(([title, bytes]) => ({
      title,
      name: 'cat.jpg',
      declared: 'image/jpeg',
      bytes,
      ...rewritten,
    })),
    ...pictures.map(([title, type, bytes]) => ({
      title,
      name: `cat.${type}`,
      declared: `image/${type}`,
      bytes,
      ...rewritten,
    })),
    {
      title: 'GIF that is a script',
      name: 'cat.gif',
      declared: 'image/gif',
      bytes: Buffer.from(`GIF89a/*${' '.repeat(40)}*/=1;${payload}`),
      outcome: 'refused',
    },
    {
      title: 'PDF that begins as a page',
      name: 'paper.pdf',
      declared: 'application/pdf',
      bytes: Buffer.from(`${page}\n%PDF-1.7\n`),
      outcome: 'refused',
    },
    {
      title: 'PDF with a script',
      name: 'paper.pdf',
      declared: 'application/pdf',
      bytes: Buffer.from(
        `%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(${payload})>>>>endobj\n`,
      ),
      outcome: 'saved',
    },
    {
      title: 'sound with a page in its title',
      name: 'song.mp3',
      declared: 'audio/mpeg',
      bytes: Buffer.concat([id3, Buffer.from('fffb9064', 'hex'), Buffer.alloc(2000)]),
      outcome: 'refused',
    },
  ]
}

/** Another type than was declared, or than the name says. */
async function wrongTypes(): Promise<BadFile[]> {
  const jpeg = await picture().jpeg().toBuffer()
  const png = await picture().png().toBuffer()
  const windows = Buffer.concat([
    Buffer.from('MZ'),
    Buffer.alloc(58),
    Buffer.from([64, 0, 0, 0, 80, 69]),
  ])
  const linux = Buffer.concat([Buffer.from('\x7fELF\x02\x01\x01', 'latin1'), Buffer.alloc(60)])
  const cases: readonly (readonly [string, string, string, Buffer])[] = [
    ['PNG declared as JPEG', 'cat', 'image/jpeg', png],
    ['JPEG declared as PNG', 'cat', 'image/png', jpeg],
    ['PNG named as JPEG', 'cat.jpg', 'image/png', png],
    ['PNG named as PDF', 'cat.pdf', 'application/octet-stream', png],
    ['PNG declared as text', 'cat', 'text/plain', png],
    ['JPEG named as a page', 'cat.html', 'image/jpeg', jpeg],
    ['JPEG declared as a video', 'cat.mp4', 'video/mp4', jpeg],
    ['text declared as GIF', 'cat.gif', 'image/gif', Buffer.from('no picture')],
    ['text declared as PDF', 'cat.pdf', 'application/pdf', Buffer.from('no paper')],
    ['noise declared as PNG', 'cat.png', 'image/png', randomBytes(4000)],
    ['an archive declared as JPEG', 'cat.jpg', 'image/jpeg', zipOf('a', Buffer.from('a'))],
    ['a program named as JPEG', 'cat.jpg', 'image/jpeg', windows],
    ['a program of Windows', 'setup', 'application/octet-stream', windows],
    ['a program of Linux', 'setup', 'application/octet-stream', linux],
    ['a program by its name', 'setup.exe', 'application/octet-stream', Buffer.from('x')],
    ['a script by its name', 'run.bat', 'text/plain', Buffer.from('echo')],
    ['zeros declared as PNG', 'cat.png', 'image/png', Buffer.alloc(1000)],
    ['one byte', 'cat.png', 'image/png', Buffer.from([137])],
    ['half a JPEG', 'cat.jpg', 'image/jpeg', jpeg.subarray(0, jpeg.length / 2)],
    ['PNG with a hole', 'cat.png', 'image/png', withHole(png)],
  ]
  return cases.map(([title, name, declared, bytes]) => ({
    title,
    name,
    declared,
    bytes,
    outcome: 'refused',
  }))
}

function withHole(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  return copy.fill(0, 40, bytes.length - 12)
}

/** Small files that take much when they are opened. */
async function bombs(): Promise<BadFile[]> {
  const jpeg = await picture().jpeg().toBuffer()
  const start = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  const lying = Buffer.from(jpeg)
  lying.writeUInt16BE(65_500, start + 5)
  lying.writeUInt16BE(65_500, start + 7)
  const zeros = Buffer.alloc(1_000_000)
  const cases: readonly (readonly [string, string, string, Buffer])[] = [
    ['PNG of 144 million pixels', 'big.png', 'image/png', blackPng(12_000, 12_000)],
    ['PNG that says it is huge', 'big.png', 'image/png', blackPng(2_000_000, 2_000_000, 1)],
    ['PNG of one row', 'big.png', 'image/png', blackPng(100_000_000, 1)],
    ['JPEG that says it is huge', 'big.jpg', 'image/jpeg', lying],
    ['GIF of 5,000 frames', 'big.gif', 'image/gif', gifOfFrames(5000)],
    [
      'ZIP that unpacks to 4 GB',
      'big.zip',
      'application/zip',
      zipOf('a', zeros, { unpacks: 2 ** 32 - 1 }),
    ],
    [
      'ZIP that has a file many times',
      'big.zip',
      'application/zip',
      zipOf('a', zeros, { times: 1000 }),
    ],
    [
      'document that unpacks to 4 GB',
      'big.docx',
      docx,
      zipOf('a', zeros, { unpacks: 2 ** 32 - 1 }),
    ],
    [
      'ZIP whose directory is elsewhere',
      'big.zip',
      'application/zip',
      zipOf('a', zeros, { offset: 2 ** 31 }),
    ],
  ]
  return cases.map(([title, name, declared, bytes]) => ({
    title,
    name,
    declared,
    bytes,
    outcome: 'refused',
  }))
}

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

async function metadata(): Promise<BadFile[]> {
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf exif:GPSLatitude="51,30N">${payload}</rdf></x:xmpmeta>`
  const cases = [
    ['jpg', 'image/jpeg', await withPosition(picture()).jpeg().toBuffer()],
    ['png', 'image/png', await withPosition(picture()).png().toBuffer()],
    ['webp', 'image/webp', await withPosition(picture()).webp().toBuffer()],
    ['avif', 'image/avif', await withPosition(picture()).avif().toBuffer()],
    ['jpg', 'image/jpeg', await picture().withXmp(xmp).jpeg().toBuffer()],
  ] as const
  return cases.map(([extension, declared, bytes], nth) => ({
    title: `position in metadata ${nth + 1} (${extension})`,
    name: `cat.${extension}`,
    declared,
    bytes,
    outcome: 'rewritten',
    payload,
  }))
}

/** Names that lead elsewhere, or look like others. */
async function names(): Promise<BadFile[]> {
  const bytes = await picture().jpeg().toBuffer()
  const harmless = [
    '../../../etc/cron.d/cat.jpg',
    '..\\..\\windows\\cat.jpg',
    '/etc/cat.jpg',
    'cat"; filename="x.jpg',
    'cat\r\nX-Evil: 1.jpg',
    'Кот 猫 🐈.jpg',
    '\u202Egpj.tac.jpg',
    `${'a'.repeat(251)}.jpg`,
  ]
  const bad = [
    'cat\u202Egpj.exe',
    'cat.jpg.exe',
    'cat.exe.',
    'cat.exe ',
    'cat.exe::$DATA',
    'cat.hta\u200b',
  ]
  const jpeg = { declared: 'image/jpeg', bytes }
  return [
    ...harmless.map(
      (name) => ({ title: `name ${name}`, name, ...jpeg, outcome: 'rewritten' }) as const,
    ),
    ...bad.map((name) => ({ title: `name ${name}`, name, ...jpeg, outcome: 'refused' }) as const),
  ]
}

export async function badFiles(): Promise<readonly BadFile[]> {
  const groups = [pages(), polyglots(), wrongTypes(), bombs(), metadata(), names()]
  return (await Promise.all(groups)).flat()
}
