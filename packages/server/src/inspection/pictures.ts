import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { rgbaToThumbHash } from 'thumbhash'
import type { Answer, Made, Question } from './question.ts'

// Only the decoders of what is rewritten, and that of our own thumbnails.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegFile',
    'VipsForeignLoadPngFile',
    'VipsForeignLoadWebpFile',
    'VipsForeignLoadNsgifFile',
    'VipsForeignLoadHeifFile',
  ],
})
sharp.cache(false)
sharp.concurrency(1)

interface Format {
  /** As the library calls it. */
  readonly name: string
  readonly animated?: boolean
  readonly write: (picture: Sharp) => Sharp
}

const formats: Readonly<Record<string, Format>> = {
  'image/jpeg': { name: 'jpeg', write: (picture) => picture.jpeg({ quality: 88 }) },
  'image/png': { name: 'png', write: (picture) => picture.png() },
  'image/gif': { name: 'gif', animated: true, write: (picture) => picture.gif({ effort: 3 }) },
  'image/webp': {
    name: 'webp',
    animated: true,
    write: (picture) => picture.webp({ quality: 85, effort: 3 }),
  },
  'image/avif': { name: 'heif', write: (picture) => picture.avif({ quality: 60, effort: 2 }) },
}

/** The longest side, in pixels. */
const sizes = { large: 1080, medium: 480, small: 160 } as const
const thumbnailType = 'image/webp'
/** The most that a thumbhash takes. */
const hashedSide = 100
const maxFrames = 2000

export function isRewritable(type: string): boolean {
  return Object.hasOwn(formats, type)
}

/** The same picture written anew: nothing but its pixels is left. With thumbnails. */
export async function rewrite(question: Question, type: string): Promise<Answer> {
  const format = formats[type]
  if (!format) throw new Error(`Pictures of the type ${type} are not rewritten.`)
  try {
    return await rewriteAs(format, question, type)
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : ''
    return { is: 'refused', why: `it cannot be read as a picture: ${why}`.slice(0, 200) }
  }
}

async function rewriteAs(format: Format, question: Question, type: string): Promise<Answer> {
  const { path, folder, maxPixels } = question
  const how = { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true } as const
  const all = { ...how, animated: format.animated === true }
  const { format: found, pages = 1 } = await sharp(path, all).metadata()
  if (found !== format.name) throw new Error(`its content is ${found}`)
  if (pages > maxFrames) throw new Error(`it has ${pages} frames`)
  const clean = join(folder, 'clean')
  const picture = sharp(path, all).autoOrient()
  const { width, height, pageHeight } = await format.write(picture).toFile(clean)
  const large = join(folder, 'large')
  await thumbnail(sharp(path, how).autoOrient(), sizes.large, large)
  const made: Made[] = [
    { part: 'clean', path: clean, type },
    { part: 'large', path: large, type: thumbnailType },
  ]
  for (const part of ['medium', 'small'] as const) {
    const smaller = join(folder, part)
    await thumbnail(sharp(large), sizes[part], smaller)
    made.push({ part, path: smaller, type: thumbnailType })
  }
  const thumbhash = await hashOf(large)
  return {
    is: 'passed',
    type,
    made,
    picture: { width, height: pageHeight ?? height, thumbhash },
  }
}

async function thumbnail(from: Sharp, side: number, to: string): Promise<void> {
  await rm(to, { force: true })
  const within = { width: side, height: side, fit: 'inside', withoutEnlargement: true } as const
  await from.resize(within).webp({ quality: 75, effort: 3 }).toFile(to)
}

async function hashOf(path: string): Promise<string> {
  const within = { width: hashedSide, height: hashedSide, fit: 'inside' } as const
  const { data, info } = await sharp(path)
    .resize(within)
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data)).toString('base64')
}
