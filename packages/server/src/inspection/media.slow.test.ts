import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openMediaReader } from './media.ts'

const stack = new AsyncDisposableStack()
afterAll(() => stack.disposeAsync())
const folder = await mkdtemp(join(tmpdir(), 'media-'))
stack.defer(() => rm(folder, { recursive: true }))
const limits = { memoryMb: 512, seconds: 60, fileBytes: 2 ** 28 }
const reader = openMediaReader({ ffmpeg: 'ffmpeg', limits })

/** Three seconds: the first half quiet, the second loud. */
const sound = ['-f', 'lavfi', '-i', "sine=duration=3,volume='if(lt(t,1.5),0.1,1)':eval=frame"]
const film = ['-f', 'lavfi', '-i', 'testsrc=duration=2:size=320x240:rate=10']

function make(name: string, ...args: readonly string[]): string {
  const path = join(folder, name)
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, path])
  return path
}

test.for([
  ['song.wav', 'audio/wav', []],
  ['song.mp3', 'audio/mpeg', []],
  ['song.ogg', 'audio/ogg', ['-c:a', 'libopus']],
  ['song.webm', 'audio/webm', ['-c:a', 'libopus']],
  ['song.flac', 'audio/flac', []],
  ['song.m4a', 'audio/mp4', []],
] as const)('%s has a duration and a waveform', async ([name, type, how]) => {
  const {
    duration,
    waveform = [],
    ...more
  } = await reader.read(make(name, ...sound, ...how), type, folder)
  expect(duration).toBeGreaterThan(2.9)
  expect(duration).toBeLessThan(3.2)
  expect(waveform.length).toBe(64)
  expect(Math.max(...waveform.slice(2, 28))).toBeLessThan(Math.min(...waveform.slice(36, 60)))
  expect(more).toEqual({})
})

test.for([
  ['film.mp4', 'video/mp4', ['-c:v', 'libx264', '-pix_fmt', 'yuv420p']],
  ['film.webm', 'video/webm', ['-c:v', 'libvpx']],
] as const)('%s has a duration, a size and a poster', async ([name, type, how]) => {
  const { poster, ...facts } = await reader.read(make(name, ...film, ...how), type, folder)
  expect(facts).toEqual({ duration: 2, width: 320, height: 240 })
  expect(poster).toBe(join(folder, 'poster.png'))
})

test('nothing is known where it is not installed, cannot be read, or takes too much', async () => {
  const path = make('other.wav', ...sound)
  const absent = openMediaReader({ ffmpeg: '/nowhere/ffmpeg', limits })
  expect(await absent.read(path, 'audio/wav', folder)).toEqual({})
  expect(await reader.read(path, 'video/mp4', folder)).toEqual({})
  const small = openMediaReader({ ffmpeg: 'ffmpeg', limits: { ...limits, memoryMb: 8 } })
  expect(await small.read(path, 'audio/wav', folder)).toEqual({})
})
