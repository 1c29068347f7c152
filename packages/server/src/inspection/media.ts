import { join } from 'node:path'
import { endLimited, type Limits, startLimited } from './limited.ts'
import { openWaveform } from './waveform.ts'

interface Media {
  /** In seconds. */
  readonly duration?: number
  readonly width?: number
  readonly height?: number
  readonly waveform?: readonly number[]
  /** Path of a picture of it. */
  readonly poster?: string
}

/** Reads sound and video. */
export interface MediaReader {
  /** Nothing is known of what it cannot read, or where it is not installed. */
  read(path: string, type: string, folder: string): Promise<Media>
}

export interface MediaOptions {
  /** The program, by its name or path; `ffprobe` is beside it. */
  readonly ffmpeg: string
  readonly limits: Omit<Limits, 'cpuSeconds'>
}

/** Named, so that no other is tried: some of them open further files. */
const demuxers: Readonly<Record<string, string>> = {
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/mp4': 'mov',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'matroska',
  'video/matroska': 'matroska',
  'video/mp4': 'mov',
  'video/ogg': 'ogg',
  'video/quicktime': 'mov',
  'video/webm': 'matroska',
}

const maxPosterSide = 1080
const maxProbed = 65_536
const samplesPerSecond = 1000
const quiet = ['-nostdin', '-hide_banner', '-v', 'error', '-protocol_whitelist', 'file,pipe']

export function openMediaReader({ ffmpeg, limits }: MediaOptions): MediaReader {
  const ffprobe = ffmpeg.replace(/ffmpeg$/, 'ffprobe')
  const run = (command: readonly string[], onOutput: (chunk: Buffer) => void) =>
    runLimited(command, { ...limits, cpuSeconds: limits.seconds }, onOutput)

  async function probe(input: readonly string[]): Promise<Probed | undefined> {
    const chunks: Buffer[] = []
    let length = 0
    const entries =
      'format=duration:stream=codec_type,width,height,duration:stream_disposition=attached_pic'
    const command = [ffprobe, ...quiet.slice(1), ...input, '-show_entries', entries, '-of', 'json']
    const isDone = await run(command, (chunk) => {
      length += chunk.length
      if (length <= maxProbed) chunks.push(chunk)
    })
    return isDone && length <= maxProbed ? JSON.parse(Buffer.concat(chunks).toString()) : undefined
  }

  async function posterOf(input: readonly string[], at: number, folder: string) {
    const poster = join(folder, 'poster.png')
    const side = `min(${maxPosterSide}\\,iw)`
    const scaled = ['-frames:v', '1', '-an', '-vf', `scale='${side}':-2`, '-threads', '1', '-y']
    const command = [ffmpeg, ...quiet, '-ss', String(at), ...input, ...scaled, poster]
    return (await run(command, () => undefined)) ? poster : undefined
  }

  async function waveformOf(input: readonly string[], duration: number) {
    const waveform = openWaveform(Math.ceil(duration * samplesPerSecond))
    const mono = ['-map', '0:a:0', '-vn', '-ac', '1', '-ar', String(samplesPerSecond)]
    const command = [ffmpeg, ...quiet, ...input, ...mono, '-f', 's16le', '-']
    return (await run(command, waveform.add)) ? waveform.read() : undefined
  }

  return {
    async read(path, type, folder) {
      const demuxer = demuxers[type]
      if (demuxer === undefined) return {}
      const input = ['-f', demuxer, '-i', path]
      const probed = await probe(input)
      const { duration, video, hasSound } = factsOf(probed)
      const waveform =
        hasSound && !video && duration ? await waveformOf(input, duration) : undefined
      const poster = video && (await posterOf(input, Math.min(1, (duration ?? 0) / 2), folder))
      return {
        ...(duration !== undefined && { duration }),
        ...(video && { width: video.width, height: video.height }),
        ...(waveform && { waveform }),
        ...(poster !== undefined && { poster }),
      }
    },
  }
}

interface Stream {
  readonly codec_type?: string
  readonly width?: number
  readonly height?: number
  readonly disposition?: { readonly attached_pic?: number }
}

interface Probed {
  readonly format?: { readonly duration?: string }
  readonly streams?: readonly Stream[]
}

const longestSeconds = 1_000_000

function factsOf({ format, streams = [] }: Probed = {}) {
  const seconds = Number(format?.duration)
  const isTimed = seconds > 0 && seconds < longestSeconds
  const video = streams.find(
    // The cover of a record is no film.
    ({ codec_type: type, disposition }) => type === 'video' && disposition?.attached_pic !== 1,
  )
  const { width = 0, height = 0 } = video ?? {}
  return {
    duration: isTimed ? Math.round(seconds * 1000) / 1000 : undefined,
    video: width > 0 && height > 0 ? { width, height } : undefined,
    hasSound: streams.some(({ codec_type: type }) => type === 'audio'),
  }
}

/** Whether it ended well, within its limits. */
async function runLimited(
  command: readonly string[],
  limits: Limits,
  onOutput: (chunk: Buffer) => void,
): Promise<boolean> {
  const child = startLimited(command, limits, { stdio: ['ignore', 'pipe', 'ignore'] })
  const timer = setTimeout(() => endLimited(child), limits.seconds * 1000)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  child.stdout?.on('data', onOutput)
  child.on('error', () => resolve(false))
  child.on('close', (code) => resolve(code === 0))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}
