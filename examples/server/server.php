<?php
// API_URL=... APP_ID=... API_KEY=... php server.php

declare(strict_types=1);

final class Refused extends RuntimeException
{
    public function __construct(public readonly array $error)
    {
        parent::__construct($error['message']);
    }
}

function chorale(string $method, string $path, ?array $body = null): array
{
    $curl = curl_init((getenv('API_URL') ?: 'http://localhost:3000/v3') . $path);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 10,
        CURLOPT_HTTPHEADER => [
            'appId: ' . getenv('APP_ID'),
            'apikey: ' . getenv('API_KEY'),
            'content-type: application/json',
        ],
    ]);
    if ($body !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body));
    }
    $text = curl_exec($curl);
    if ($text === false) {
        throw new RuntimeException(curl_error($curl));
    }
    $answer = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
    if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) !== 200) {
        throw new Refused($answer['error']);
    }
    return $answer['data'];
}

/** When somebody signs up. Called again, it changes nothing. */
function signUp(string $uid, string $name): void
{
    try {
        chorale('POST', '/users', ['uid' => $uid, 'name' => $name]);
    } catch (Refused $refused) {
        if ($refused->error['code'] !== 'ERR_UID_ALREADY_EXISTS') {
            throw $refused;
        }
    }
}

/** When somebody has logged in: the token for their page or app. */
function logIn(string $uid): string
{
    return chorale('POST', "/users/$uid/auth_tokens", ['lifetimeSeconds' => 86400])['authToken'];
}

signUp('ann', 'Ann');
signUp('bob', 'Bob');
signUp('ann', 'Ann');
echo 'token ', logIn('ann'), "\n";
$members = ['admins' => ['ann'], 'participants' => ['bob']];
chorale('POST', '/groups', ['guid' => 'team', 'name' => 'Team', 'type' => 'private', 'members' => $members]);
chorale('POST', '/messages', [
    'receiver' => 'team',
    'receiverType' => 'group',
    'category' => 'message',
    'type' => 'text',
    'data' => ['text' => 'Welcome, both of you.'],
]);
foreach (chorale('GET', '/groups/team/messages?categories=message') as $message) {
    echo $message['sender'], ': ', $message['data']['text'], "\n";
}
