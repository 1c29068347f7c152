<?php
// SECRET=whsec_... php -S 127.0.0.1:8080 receiver.php

declare(strict_types=1);

/** `$body` is the text as it came, before it is parsed. */
function isFromChorale(string $body): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $at = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    // Older than five minutes: somebody may have recorded it.
    if (!ctype_digit($at) || abs(time() - (int) $at) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', getenv('SECRET')));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$at.$body", $key, true));
    foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

$body = file_get_contents('php://input');
if (!isFromChorale($body)) {
    http_response_code(401);
    return;
}
http_response_code(204);
// Put what takes long into a queue: the answer leaves when this program ends.
file_put_contents('php://stdout', $_SERVER['HTTP_WEBHOOK_ID'] . ' ' . json_decode($body, true)['trigger'] . "\n");
