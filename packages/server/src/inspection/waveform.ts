const places = 64
const fullScale = 32_768

interface Waveform {
  /** Samples of 16 bits, one after the other. */
  readonly add: (chunk: Buffer) => void
  /** The loudest of each place, from 0 to 100. */
  readonly read: () => readonly number[]
}

/** Of so many samples, about. */
export function openWaveform(samples: number): Waveform {
  const peaks = new Array<number>(places).fill(0)
  const perPlace = Math.max(1, samples / places)
  let seen = 0
  let rest = Buffer.alloc(0)
  return {
    add(chunk) {
      const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      const whole = bytes.length - (bytes.length % 2)
      for (let at = 0; at < whole; at += 2) {
        const place = Math.min(places - 1, Math.floor(seen / perPlace))
        peaks[place] = Math.max(peaks[place] ?? 0, Math.abs(bytes.readInt16LE(at)))
        seen++
      }
      rest = Buffer.from(bytes.subarray(whole))
    },
    read: () => peaks.map((peak) => Math.round((peak / fullScale) * 100)),
  }
}
