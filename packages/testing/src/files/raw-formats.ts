import { crc32, deflateRawSync, deflateSync } from 'node:zlib'

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(data.length)
  ends.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
}

/** A PNG of one bit a pixel, all black, whatever its size; `cut`: only so many of its rows are there. */
export function blackPng(width: number, height: number, cut = height): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head[8] = 1
  const rows = deflateSync(Buffer.alloc(cut * (1 + Math.ceil(width / 8))))
  const mark = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const end = chunk('IEND', Buffer.alloc(0))
  return Buffer.concat([mark, chunk('IHDR', head), chunk('IDAT', rows), end])
}

/** With a chunk of text before its pixels. */
export function pngWithText(png: Buffer, text: string): Buffer {
  const said = chunk('tEXt', Buffer.from(`Comment\0${text}`, 'latin1'))
  return Buffer.concat([png.subarray(0, 33), said, png.subarray(33)])
}

/** With a comment before its pixels. */
export function jpegWithComment(jpeg: Buffer, text: string): Buffer {
  const said = Buffer.from(text, 'latin1')
  const head = Buffer.from([0xff, 0xfe, 0, 0])
  head.writeUInt16BE(said.length + 2, 2)
  return Buffer.concat([jpeg.subarray(0, 2), head, said, jpeg.subarray(2)])
}

/** A GIF of one pixel a frame. */
export function gifOfFrames(frames: number, comment = ''): Buffer {
  const head = Buffer.from('47494638396101000100800000000000ffffff', 'hex')
  const said =
    comment === ''
      ? Buffer.alloc(0)
      : Buffer.concat([
          Buffer.from([0x21, 0xfe, comment.length]),
          Buffer.from(`${comment}\0`, 'latin1'),
        ])
  const frame = Buffer.from('21f904000a0000002c0000000001000100000202440100', 'hex')
  return Buffer.concat([head, said, ...Array<Buffer>(frames).fill(frame), Buffer.from([0x3b])])
}

interface ZipOptions {
  /** What the directory says that the entry unpacks to. */
  readonly unpacks?: number
  /** How often the directory names it. */
  readonly times?: number
  /** What the end says of where the directory is. */
  readonly offset?: number
}

export function zipOf(name: string, data: Buffer, options: ZipOptions = {}): Buffer {
  const packed = deflateRawSync(data)
  const { unpacks = data.length, times = 1 } = options
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50)
  local.writeUInt16LE(20, 4)
  local.writeUInt16LE(8, 8)
  local.writeUInt32LE(crc32(data), 14)
  local.writeUInt32LE(packed.length, 18)
  local.writeUInt32LE(unpacks, 22)
  local.writeUInt16LE(name.length, 26)
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50)
  local.copy(entry, 6, 4, 30)
  const file = Buffer.concat([local, Buffer.from(name, 'latin1'), packed])
  const directory = Buffer.concat(
    Array<Buffer>(times).fill(Buffer.concat([entry, Buffer.from(name, 'latin1')])),
  )
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(Math.min(times, 65_535), 8)
  end.writeUInt16LE(Math.min(times, 65_535), 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(options.offset ?? file.length, 16)
  return Buffer.concat([file, directory, end])
}
