package discord

// Discord's JSON error codes on which the bot acts. Not all of them have a name
// in discordgo, so that all of them have one here.
const (
	CodeUnknownChannel     = 10003
	CodeUnknownGuild       = 10004
	CodeUnknownMember      = 10007
	CodeUnknownMessage     = 10008
	CodeUnknownUser        = 10013
	CodeUnknownEmoji       = 10014
	CodeUnknownWebhook     = 10015
	CodeUnknownInteraction = 10062
	CodeUnknownCommand     = 10063

	CodeExplicitContent   = 20009
	CodeSlowmode          = 20016
	CodeChannelWriteLimit = 20028
	CodeGuildWriteLimit   = 20029

	CodeEmojiCount   = 30008
	CodeAnimated     = 30018
	CodeCommandCount = 30032
	CodeDailyCreates = 30034
	CodeOldEdits     = 30046

	CodeUnauthorized        = 40001
	CodeDMTooFast           = 40003
	CodeSendDisabled        = 40004
	CodeEntityTooLarge      = 40005
	CodeFeatureDisabled     = 40006
	CodeWrongChannel        = 40058
	CodeAlreadyAcknowledged = 40060
	CodeServiceLimited      = 40062
	CodeTooManyFollowUps    = 40094
	CodeCloudflare          = 40333

	CodeMissingAccess     = 50001
	CodeNotAuthor         = 50005
	CodeEmptyMessage      = 50006
	CodeCannotDM          = 50007
	CodeVoiceChannel      = 50008
	CodeMissingPermission = 50013
	CodeInvalidToken      = 50014
	CodeSystemMessage     = 50021
	CodeChannelType       = 50024
	CodeTokenExpired      = 50027
	CodeInvalidForm       = 50035
	CodeFileTooLarge      = 50045
	CodeInvalidFile       = 50046
	CodeThreadArchived    = 50083
	CodeInvalidJSON       = 50109
	CodeInvalidEmoji      = 50151
	CodeNoMutualGuild     = 50278

	CodeOverloaded     = 130000
	CodeThreadLocked   = 160005
	CodeAutoMod        = 200000
	CodeLinkFilter     = 240000
	CodeUploadsLimited = 400001
)

// classOf holds what each code means. A code outranks the HTTP status: Discord
// answers the same refusal with different statuses on different routes, and
// servers like it are freer still.
func classOf(code int) (Class, bool) {
	switch code {
	case CodeUnknownChannel:
		return UnknownChannel, true
	case CodeUnknownGuild:
		return UnknownGuild, true
	case CodeUnknownMember, CodeUnknownUser:
		return UnknownMember, true
	case CodeUnknownMessage:
		return UnknownMessage, true
	case CodeUnknownEmoji, CodeInvalidEmoji:
		return UnknownEmoji, true
	case CodeUnknownWebhook, CodeTokenExpired:
		return TokenExpired, true
	case CodeUnknownInteraction:
		return UnknownInteraction, true
	case CodeUnknownCommand:
		return UnknownCommand, true
	case CodeExplicitContent, CodeAutoMod, CodeLinkFilter:
		return Blocked, true
	case CodeSlowmode, CodeChannelWriteLimit, CodeGuildWriteLimit:
		return SlowDown, true
	case CodeEmojiCount, CodeAnimated:
		return EmojiLimit, true
	case CodeCommandCount, CodeDailyCreates:
		return CommandLimit, true
	case CodeOldEdits:
		return OldEdit, true
	case CodeUnauthorized, CodeInvalidToken:
		return Unauthorized, true
	case CodeDMTooFast:
		return DMTooFast, true
	case CodeSendDisabled, CodeFeatureDisabled:
		return Disabled, true
	case CodeEntityTooLarge, CodeFileTooLarge, CodeInvalidFile, CodeUploadsLimited:
		return TooLarge, true
	case CodeWrongChannel, CodeVoiceChannel, CodeChannelType:
		return WrongChannelType, true
	case CodeAlreadyAcknowledged:
		return AlreadyAcknowledged, true
	case CodeServiceLimited:
		return RateLimited, true
	case CodeTooManyFollowUps:
		return TooManyFollowUps, true
	case CodeCloudflare:
		return Cloudflare, true
	case CodeMissingAccess:
		return MissingAccess, true
	case CodeNotAuthor, CodeSystemMessage:
		return NotOurs, true
	case CodeEmptyMessage, CodeInvalidForm, CodeInvalidJSON:
		return Invalid, true
	case CodeCannotDM, CodeNoMutualGuild:
		return CannotDM, true
	case CodeMissingPermission:
		return MissingPermission, true
	case CodeThreadArchived:
		return ThreadArchived, true
	case CodeThreadLocked:
		return ThreadLocked, true
	case CodeOverloaded:
		return Temporary, true
	}
	return Other, false
}
